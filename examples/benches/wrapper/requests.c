// What a request costs from its begin to its completion: a receive and a send of 8 bytes to the own rank, each with its
// MPI_Wait, a million times, in blocks, while 1, 100 and 10,000 others are pending; prints "NAME nanoseconds" of the
// median block, for one of the two. The others are generalized requests: receives would be in the way of the message.
// run: -n 1
#include <mpi.h>

#include "measure.h"

enum { MOST = 10000 };

static MPI_Request others[MOST];
static int pending;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)complete;
    return nothing(state);
}

static void let_be_pending(int count)
{
    for (; pending < count; pending++)
        MPI_Grequest_start(query, nothing, cancel, NULL, &others[pending]);
}

int main(int argc, char **argv)
{
    char bytes[16] = {0};
    MPI_Request in, out;
    MPI_Init(&argc, &argv);
    int counts[] = {1, 100, MOST};
    for (int i = 0; i < 3; i++) {
        char name[32];
        let_be_pending(counts[i]);
        snprintf(name, sizeof name, "%5d others pending", counts[i]);
        MEASURE(name, 2, MPI_Irecv(bytes, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &in);
                MPI_Isend(bytes + 8, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &out);
                MPI_Wait(&out, MPI_STATUS_IGNORE);
                MPI_Wait(&in, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < pending; i++)
        MPI_Grequest_complete(others[i]);
    MPI_Waitall(pending, others, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
