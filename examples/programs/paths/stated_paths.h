// Counts calls by the path that the program takes to them. Rank 0 prints "COUNT path" for each at the end: lines of several ranks
// may come mixed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A function that is neither inlined nor cloned, so that each call of it is a frame.
#define FUNCTION __attribute__((noipa)) static

// A call behind which the function goes on, so that it is no jump.
#define CALL(...)                          \
    do {                                   \
        __VA_ARGS__;                       \
        __asm__ volatile("" ::: "memory"); \
    } while (0)

enum { MOST_PATHS = 400, MOST_TEXT = 4096 };
static struct {
    char *path;
    const char *function;
    int calls;
} stated[MOST_PATHS];

FUNCTION void state(const char *path, const char *function)
{
    for (int at = 0; at < MOST_PATHS; at++) {
        if (!stated[at].path) {
            stated[at].path = strdup(path);
            stated[at].function = function;
        }
        if (strcmp(stated[at].path, path) == 0 && strcmp(stated[at].function, function) == 0) {
            stated[at].calls++;
            return;
        }
    }
    abort();
}

FUNCTION void print_stated(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int at = 0; rank == 0 && at < MOST_PATHS && stated[at].path; at++)
        printf("%d %s > %s\n", stated[at].calls, stated[at].path, stated[at].function);
    fflush(stdout);
}

// The layer through which the program calls MPI.
FUNCTION void layer(const char *path)
{
    char text[MOST_TEXT];
    snprintf(text, sizeof text, "%s > layer", path);
    double in = 1, out;
    CALL(state(text, "MPI_Allreduce"));
    CALL(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF));
}
