// What the loops of published benchmarks share: arguments, buffers, and lines that tests read: "LOOP BYTES figure=value ...".
// Times are taken by MPI_Wtime, as the originals take them, and printed in microseconds.
#ifndef LOOPS_H
#define LOOPS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

// The sizes, from the first argument to the second, and how many times more or fewer iterations than the originals make.
static int least_bytes = 8, most_bytes = 1 << 20;
static double effort = 1;

static inline void begin(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        least_bytes = atoi(argv[1]);
    if (argc > 2)
        most_bytes = atoi(argv[2]);
    if (argc > 3)
        effort = atof(argv[3]);
}

// Whether a loop is asked for: those that are named behind the three arguments, or all.
static inline int is_wanted(int argc, char **argv, const char *loop)
{
    for (int at = 4; at < argc; at++)
        if (strcmp(argv[at], loop) == 0)
            return 1;
    return argc < 5;
}

static inline int times(int iterations)
{
    int made = (int)(iterations * effort);
    return made < 4 ? 4 : made;
}

static inline char *buffer(size_t bytes)
{
    char *made = malloc(bytes > 0 ? bytes : 1);
    memset(made, 1, bytes);
    return made;
}

// The first rank prints, "LOOP BYTES" and then what the format says.
static inline void row(const char *loop, int bytes, const char *format, ...)
{
    if (rank != 0)
        return;
    va_list figures;
    va_start(figures, format);
    printf("%s %d ", loop, bytes);
    vprintf(format, figures);
    printf("\n");
    fflush(stdout);
    va_end(figures);
}

static inline double over_ranks(double own, MPI_Op operation)
{
    double all = 0;
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
    return all;
}

#endif
