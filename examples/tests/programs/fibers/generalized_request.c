// Two fibers are in MPI_Wait at once: the query function of a generalized request, which MPI calls to complete it, hands over
// to the other.
// run: -n 2
// filter: +status_set_elements +status_set_cancelled
// expect: calls MPI_Grequest_start = 2 * 2 * 50
// expect: calls MPI_Grequest_complete = 2 * 2 * 50
// expect: calls MPI_Wait = 2 * 2 * 50
// expect: nested MPI_Wait = 0
// expect: calls MPI_Sendrecv = 2 * 2 * 50
// expect: calls MPI_Status_set_elements = 0
// expect: nested MPI_Status_set_elements = 2 * 2 * 50
// expect: calls MPI_Status_set_cancelled = 0
// expect: nested MPI_Status_set_cancelled = 2 * 2 * 50
#include <mpi.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 50 };

static int wrong, rank, queries;

static int query(void *state, MPI_Status *status)
{
    yield();
    MPI_Status_set_elements(status, MPI_BYTE, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    queries++;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1, count;
        MPI_Request request;
        MPI_Status status;
        MPI_Grequest_start(query, nothing, cancel, &i, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, &status);
        MPI_Get_elements(&status, MPI_BYTE, &count);
        wrong += count != i;
        if (i % 3 == which)
            yield();
        MPI_Sendrecv(&i, 1, MPI_INT, rank, which, &got, 1, MPI_INT, rank, which, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += got != i;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run_fibers(live);
    if (wrong || queries != FIBERS * ROUNDS)
        printf("wrong: %d, %d queries\n", wrong, queries);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
