// What a call's path costs: MPI_Test below so many functions, called by one path, and by five that take turns.
// run: -n 1
#include <mpi.h>

#include "measure.h"

static MPI_Request request = MPI_REQUEST_NULL;
static int flag;

__attribute__((noinline)) static void layer(void)
{
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

#define CALLER(name)                                \
    __attribute__((noinline)) static void name(void) \
    {                                               \
        layer();                                    \
        __asm__ volatile("");                       \
    }
CALLER(first)
CALLER(second)
CALLER(third)
CALLER(fourth)
CALLER(fifth)

__attribute__((noinline)) static void bottom(int depth)
{
    void (*const callers[5])(void) = {first, second, third, fourth, fifth};
    char name[40];
    snprintf(name, sizeof name, "%d frames", depth);
    MEASURE(name, 1, first());
    snprintf(name, sizeof name, "%d frames, five paths", depth);
    MEASURE(name, 5, for (int caller = 0; caller < 5; caller++) callers[caller]());
}

// Not a tail call: each level has a frame.
__attribute__((noinline)) static void down(int levels, int depth)
{
    if (levels == 0)
        bottom(depth);
    else
        down(levels - 1, depth);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MEASURE("2 frames", 1, layer());
    // Below main: the last level, bottom, a caller and the layer.
    for (int depth = 6; depth <= 24; depth *= 2)
        down(depth - 5, depth);
    MPI_Finalize();
    return 0;
}
