// Computes in a function of its own in each of two threads, for a second of processor time, and states how long that was, for its own
// profiler (-pg) to find.
// run: -n 1
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile double sinks[2];
static int provided;

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
        sinks[0] += turn;
}

__attribute__((noinline)) void warm(void)
{
    for (int turn = 0; turn < 1000000; turn++)
        sinks[1] += turn;
}

static double seconds(void (*compute)(void), MPI_Comm comm)
{
    double taken = 0;
    while (taken < 1) {
        double begin = processor_time();
        compute();
        taken += processor_time() - begin;
        if (comm != MPI_COMM_NULL)
            MPI_Barrier(comm);
    }
    return taken;
}

static void *beside(void *taken)
{
    MPI_Comm own = MPI_COMM_NULL;
    if (provided == MPI_THREAD_MULTIPLE)
        MPI_Comm_dup(MPI_COMM_SELF, &own);
    *(double *)taken = seconds(warm, own);
    return NULL;
}

int main(int argc, char **argv)
{
    double first, second;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, beside, &second);
    first = seconds(hot, MPI_COMM_SELF);
    pthread_join(thread, NULL);
    MPI_Finalize();
    printf("%.3f %.3f\n", first, second);
    return 0;
}
