// Computes in one function for a second of processor time, and states how long that was, for its own profiler (-pg) to find.
// run: -n 1
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static volatile double sink;

static double processor_time(void)
{
    struct timespec time;
    // The process's clock stands still between the system's ticks while a profiler's timer runs.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

__attribute__((noinline)) void hot(void)
{
    for (int turn = 0; turn < 1000000; turn++)
        sink += turn;
}

int main(int argc, char **argv)
{
    double taken = 0;
    MPI_Init(&argc, &argv);
    while (taken < 1) {
        double begin = processor_time();
        hot();
        taken += processor_time() - begin;
        MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Finalize();
    printf("%.3f\n", taken);
    return 0;
}
