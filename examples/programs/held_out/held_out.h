// What the programs of this folder share: ./program [cured]
//
// Each does the same work with the argument `cured`, without the cause that truth.tsv states. Rank 0 prints the seconds of
// the slowest rank's loop, so that the difference of both is what the cure saves, and `ok` if every rank's result is correct.
#ifndef HELD_OUT_H
#define HELD_OUT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, cured;
static double loop_began;

static inline void begin_loop(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    loop_began = MPI_Wtime();
}

// Binds the rank to a core of its own if there are as many, as launchers of large machines do: two that poll on one core would wait for the
// scheduler at each message.
static inline void keep_to_core(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (size > cores)
        return;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(rank % cores, &own);
    sched_setaffinity(0, sizeof own, &own);
}

static inline void begin(int argc, char **argv)
{
    cured = argc > 1 && strcmp(argv[1], "cured") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    keep_to_core();
}

// Returns the program's exit status. `correct`: this rank's result is.
static inline int end(int correct)
{
    double mine = MPI_Wtime() - loop_began, longest;
    int all;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&correct, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("loop %.6f\n%s\n", longest, all ? "ok" : "WRONG");
    MPI_Finalize();
    return !all;
}

// A chain of additions and multiplications that takes the same operations each time, some 2 ns per turn.
static inline double grind(long turns)
{
    double x = 0.5;
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 1e-7;
    return x;
}

// A device, a disk or a service that is busy meanwhile: the core is free.
static inline void rest(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

// The same numbers in every run and on every rank.
static inline unsigned random_of(unsigned seed)
{
    seed = (seed ^ 61) ^ (seed >> 16);
    seed *= 9;
    seed ^= seed >> 4;
    seed *= 0x27d4eb2d;
    return seed ^ (seed >> 15);
}

#endif
