// Prints how long MPI_Init took on the slowest rank, and MPI_Finalize on rank 0, in milliseconds.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
    double began = now(), longest;
    MPI_Init(&argc, &argv);
    double took = now() - began;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double ends = now();
    MPI_Finalize();
    if (rank == 0) printf("took %.1f %.1f\n", longest, now() - ends);
    return 0;
}
