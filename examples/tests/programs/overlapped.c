// Rank 0 sends and receives messages too long to go at once, by turns waiting for one right after the post and doing something else between
// the two, and says how long transfers take and what it spends in MPI where it does. Rank 1 comes 2 ms late to each, and what both do
// outside MPI is to sleep: a busy machine disturbs that least.
// run: -n 2
#include <mpi.h>
#include <unistd.h>
#include "measured.h"

enum { ROUNDS = 41, BYTES = 1 << 18 };

static char data[BYTES];

// One request of rank 0, or the other end of it. Returns the time in MPI.
static double request(int rank, int sends, int microseconds)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        usleep(2000);
    double begin = now();
    if (sends == (rank == 0))
        MPI_Isend(data, BYTES, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(data, BYTES, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
    double posted = now();
    if (rank == 0 && microseconds > 0)
        usleep(microseconds);
    double waiting = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return now() - waiting + posted - begin;
}

int main(int argc, char **argv)
{
    int rank;
    double transfers[ROUNDS], overheads[ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int sends = 0; sends < 2; sends++) {
        for (int round = 0; round < ROUNDS; round++) {
            transfers[round] = request(rank, sends, 0);
            overheads[round] = request(rank, sends, 6000);
        }
        double transfer = median(transfers, ROUNDS), overhead = median(overheads, ROUNDS);
        if (rank == 0) {
            tell("transfer", sends ? "send" : "receive", transfer);
            tell("overhead", sends ? "send" : "receive", overhead);
        }
    }
    MPI_Finalize();
    return 0;
}
