// What programs that plant waits share: starting together, being late, and telling what really happened.
//
// A sleeping rank leaves its core to the others, but sleeps longer than it was told where the machine is busy. So each
// rank notes when it enters the calls in question, by a clock that all ranks of a host share, and rank 0 says at the end
// how long the others really were late.
#ifndef PLANTED_H
#define PLANTED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOTES = 256 };

// A call that was entered: the mark at the end of its line, and when.
struct note {
    char mark[24];
    double when;
};

static struct note notes[NOTES], *gathered;
static int noted;

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static inline void sleep_until(double when)
{
    struct timespec time = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - (time_t)when) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
        ;
}

static inline void be_late(double seconds)
{
    sleep_until(now() + seconds);
}

// Lets all ranks go on at the same moment, a little after the last of them came here. None of them waits within MPI:
// they ask, and sleep in between.
static inline void start_together(void)
{
    double start = now() + 0.004, last;
    int done = 0;
    MPI_Request request;
    MPI_Iallreduce(&start, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        be_late(0.0002);
    sleep_until(last);
}

// Notes that the call with this mark is entered now.
static inline void note(const char *mark)
{
    if (noted == NOTES) {
        printf("wrong: more than %d notes\n", NOTES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    strncpy(notes[noted].mark, mark, sizeof notes->mark - 1);
    notes[noted++].when = now();
}

// Brings all notes to rank 0.
static inline void gather_notes(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        gathered = malloc(size * sizeof notes);
    start_together();
    MPI_Gather(notes, sizeof notes, MPI_BYTE, gathered, sizeof notes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static inline const struct note *nth_note(int rank, const char *mark, int n)
{
    for (const struct note *note = gathered + rank * NOTES; note < gathered + (rank + 1) * NOTES; note++)
        if (strcmp(note->mark, mark) == 0 && n-- == 0)
            return note;
    return NULL;
}

// Says how long one rank was in the calls of one mark before another came to those of another: the first before the
// first, the second before the second, and so on.
static inline void tell(const char *pattern, int rank, const char *mark, int cause, const char *cause_mark)
{
    const struct note *early, *late;
    double waited = 0;
    if (!gathered)
        return;
    for (int n = 0; (early = nth_note(rank, mark, n)) && (late = nth_note(cause, cause_mark, n)); n++)
        waited += late->when > early->when ? late->when - early->when : 0;
    fprintf(stderr, "truth: wait %s rank %d // %s <- rank %d = %.6f\n", pattern, rank, mark, cause, waited);
}

#endif
