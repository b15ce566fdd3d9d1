// Sweeps over a grid that is divided into columns, one a rank: from the first rank to the last, then back. A block needs the edge
// of the same block on the rank before it.
//
//     mpicc -g wavefront.c -o wavefront && mpirun -n 2 ./wavefront
#include <mpi.h>
#include <stdio.h>
#include <time.h>

// Edges of so many blocks go in one message.
#ifndef TOGETHER
#define TOGETHER 16
#endif

enum { SWEEPS = 20, BLOCKS = 16, EDGE = 512 };

static double edges[BLOCKS][EDGE];

static void compute(double *edge)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 1; i < EDGE; i++)
            edge[i] = 0.5 * (edge[i] + edge[i - 1]);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < 0.0005);
}

static void sweep(int from, int to)
{
    for (int block = 0; block < BLOCKS; block++) {
        if (block % TOGETHER == 0)
            MPI_Recv(edges[block], TOGETHER * EDGE, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(edges[block]);
        if ((block + 1) % TOGETHER == 0)
            MPI_Send(edges[block + 1 - TOGETHER], TOGETHER * EDGE, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double begin = MPI_Wtime();
    for (int i = 0; i < SWEEPS; i++)
        i % 2 ? sweep(above, below) : sweep(below, above);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d sweeps in %.0f ms\n", SWEEPS, 1e3 * (MPI_Wtime() - begin));
    MPI_Finalize();
    return 0;
}
