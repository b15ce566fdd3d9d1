// What programs that plant a cause share: work, which burns processor time or sleeps, and the arguments that say which.
//
// ./program [sleep] [twin]: `sleep` lets more ranks than cores run as if each had its own; `twin` leaves the planted cause out.
#ifndef PLANTED_WORK_H
#define PLANTED_WORK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, sleeps, twin;
static double sink;

static inline double clock_of(clockid_t id)
{
    struct timespec time;
    clock_gettime(id, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// Computes for so many seconds of processor time, or sleeps for as long. Reading the clock is a system call.
static inline void work(double seconds)
{
    if (sleeps) {
        struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (time_t)seconds) * 1e9)};
        nanosleep(&time, NULL);
        return;
    }
    double end = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 5000; i++)
            sink += i * 1e-9;
}

static inline void begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        sleeps |= strcmp(argv[i], "sleep") == 0;
        twin |= strcmp(argv[i], "twin") == 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline int end(void)
{
    MPI_Finalize();
    return 0;
}

#endif
