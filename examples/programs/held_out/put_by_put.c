// Each number is put into the neighbor's window in an epoch of its own. Cured: all numbers of a step in one epoch.
#include "held_out.h"

enum { COUNT = 400, STEPS = 400 };

static MPI_Win window;

static void exchange(const double *values, int peer)
{
    for (int i = 0; i < COUNT; i++) {
        MPI_Put(&values[i], 1, MPI_DOUBLE, peer, i, 1, MPI_DOUBLE, window); // one number
        if (!cured)
            MPI_Win_fence(0, window); // each
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double *there, values[COUNT];
    MPI_Win_allocate(COUNT * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &there, &window);
    int peer = rank ^ 1, correct = 1;
    MPI_Win_fence(0, window);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = rank + step + i;
        correct &= grind(300000) > 0;
        exchange(values, peer);
        MPI_Win_fence(0, window);
        correct &= there[COUNT - 1] == peer + step + COUNT - 1;
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    return end(correct);
}
