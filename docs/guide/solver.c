// Time steps of a solver. Like many programs, it calls MPI through functions of its own, so all sums wait at one line.
//
//     mpicc -g -O2 solver.c -o solver && mpirun -n 2 ./solver
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 20, ITERATIONS = 4, EDGE = 1000 };

static int rank;
static double grid[EDGE], edge[EDGE];

static double comm_sum(double own)
{
    double sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void comm_exchange(void)
{
    MPI_Sendrecv(grid, EDGE, MPI_DOUBLE, 1 - rank, 0, edge, EDGE, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 1; i < EDGE; i++)
            grid[i] = 0.5 * (grid[i] + grid[i - 1]);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

// The second rank has a little more to do.
static double solve(void)
{
    double residual = 0;
    for (int i = 0; i < ITERATIONS; i++) {
        compute(rank == 0 ? 0.002 : 0.0025);
        comm_exchange();
        residual = comm_sum(grid[0]);
    }
    return residual;
}

// The first rank alone writes.
static void checkpoint(void)
{
    if (rank == 0)
        compute(0.02);
    comm_sum(1);
}

static int has_failed(double residual)
{
    return comm_sum(residual != residual) > 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comm_exchange();
    for (int step = 0; step < STEPS; step++) {
        double residual = solve();
        if (step % 5 == 4)
            checkpoint();
        if (has_failed(residual))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
