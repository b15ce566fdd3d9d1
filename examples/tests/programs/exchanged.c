// Two ranks exchange messages of several sizes, one after the other and both at once, and rank 0 says how long one exchange takes: by
// batches, of which each takes as long as it takes the slower rank.
// run: -n 2
#include <mpi.h>
#include "measured.h"

enum { BATCHES = 15, EXCHANGES = 40, SIZES = 4, LONG = 1 << 16 };

static char out[LONG], in[LONG];
static int rank, other;

static void ordered(int bytes)
{
    if (rank == 0)
        MPI_Send(out, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
}

static void unordered(int bytes)
{
    MPI_Sendrecv(out, bytes, MPI_BYTE, other, 1, in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure(const char *pattern, void (*exchange)(int), int bytes)
{
    double times[BATCHES];
    char of[40];
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = now();
        for (int count = 0; count < EXCHANGES; count++)
            exchange(bytes);
        double took = now() - begin;
        MPI_Allreduce(&took, &times[batch], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    snprintf(of, sizeof of, "%s %d", pattern, bytes);
    if (rank == 0)
        tell("exchange", of, median(times, BATCHES) / EXCHANGES);
}

int main(int argc, char **argv)
{
    const int sizes[SIZES] = {8, 512, 4096, LONG};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    // Some of the first ones take long.
    for (int count = 0; count < BATCHES * EXCHANGES; count++)
        ordered(sizes[0]);
    for (int which = 0; which < SIZES; which++) {
        measure("ordered", ordered, sizes[which]);
        measure("unordered", unordered, sizes[which]);
    }
    MPI_Finalize();
    return 0;
}
