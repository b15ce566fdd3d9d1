// Two ranks of two threads. In each of 40 rounds the second thread sleeps four times as long as the first in a region, then both
// meet a barrier and take turns in a critical section in another; the first thread sleeps alone, and rank 1 for longer, so
// that rank 0 waits in MPI. With `twin` threads and ranks do as much. Each rank says in seconds what it measured.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double nap(double seconds)
{
    double begin = now();
    struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
    return now() - begin;
}

int main(int argc, char **argv)
{
    int provided, rank, sum = 0, twin = argc > 1 && strcmp(argv[1], "twin") == 0;
    double work = 0, longest = 0, idle = 0, inside = 0, mpi = 0, barrier = 0, lock = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double started = now();
    for (int round = 0; round < ROUNDS; round++) {
        double took[2], begun = now();
#pragma omp parallel num_threads(2) // uneven
        {
            int thread = omp_get_thread_num();
            took[thread] = nap(thread == 1 && !twin ? 0.008 : 0.002);
        }
        double lasted = now() - begun;
        inside += lasted;
        idle += 2 * lasted - took[0] - took[1];
        work += took[0] + took[1];
        longest += took[0] > took[1] ? took[0] : took[1];
        begun = now();
#pragma omp parallel num_threads(2) // meets
        {
            int thread = omp_get_thread_num();
            if (thread == 1 && !twin)
                nap(0.002);
            double begin = now();
#pragma omp barrier
            double met = now() - begin;
            begin = now();
            if (!twin) {
#pragma omp critical
                {
                    double waited = now() - begin;
                    nap(0.001);
                    lock += waited;
                    barrier += met;
                }
            }
        }
        inside += now() - begun;
        nap(rank == 1 && !twin ? 0.030 : 0.002);
        double begin = now();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // sum
        mpi += now() - begin;
    }
    double serial = now() - started - inside - mpi;
    // Ranks take turns, so that lines stay whole.
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank)
            printf("%d work %.6f\n%d longest %.6f\n%d idle %.6f\n%d serial %.6f\n%d mpi %.6f\n%d barriers %.6f\n%d locks %.6f\n",
                   rank, work, rank, longest, rank, idle, rank, serial, rank, mpi, rank, barrier, rank, lock);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
