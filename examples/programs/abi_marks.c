// What ABIs number differently, used so that a wrong number or offset changes a figure: a receive of any tag from a rank that is
// named, several statuses in an array, null requests among others, the process of no rank. Rank 1 sends one int more each time.
// run: -n 2
// also: MPI_Barrier
// expect: calls MPI_Send rank 1 = 3 + 3 + 3
// expect: sent MPI_Send rank 1 = 3 * 6 * 4
// expect: calls MPI_Recv rank 0 = 3 + 1
// expect: received MPI_Recv rank 0 = 6 * 4
// expect: messages MPI_Recv 0 -> 1 = 3
// expect: calls MPI_Irecv rank 0 = 3 + 3
// expect: received MPI_Irecv rank 0 = 2 * 6 * 4
// expect: calls MPI_Waitall rank 0 = 1
// expect: calls MPI_Waitany rank 0 = 3
// expect: calls MPI_Wait rank 0 = 1
#include <mpi.h>
#include <stdio.h>

enum { ROOM = 100, MESSAGES = 3 };

static int wrong;

static void came(const MPI_Status *status, int tag)
{
    int count = 0;
    MPI_Get_count(status, MPI_INT, &count);
    wrong += status->MPI_SOURCE != 1 || status->MPI_TAG != tag || count != tag % 10 + 1;
}

int main(int argc, char **argv)
{
    int rank, data[MESSAGES][ROOM] = {{0}};
    MPI_Request requests[MESSAGES + 2];
    MPI_Status statuses[MESSAGES + 2], status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < MESSAGES; i++)
                MPI_Send(data[0], i + 1, MPI_INT, 0, 10 * round + i, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    if (rank == 0) {
        // The program names the rank and leaves the tag open.
        for (int i = 0; i < MESSAGES; i++) {
            MPI_Recv(data[i], ROOM, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            came(&status, i);
        }
        MPI_Recv(data[0], ROOM, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        // Null requests stand before and behind those that complete, and have statuses of their own.
        requests[0] = requests[MESSAGES + 1] = MPI_REQUEST_NULL;
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(data[i], ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i + 1]);
        MPI_Waitall(MESSAGES + 2, requests, statuses);
        for (int i = 0; i < MESSAGES; i++)
            came(&statuses[i + 1], 10 + i);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(data[i], ROOM, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i + 1]);
        for (int i = 0; i < MESSAGES; i++) {
            int at = 0;
            MPI_Waitany(MESSAGES + 2, requests, &at, &status);
            came(&status, 20 + at - 1);
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        puts(wrong ? "wrong" : "ok");
    }
    MPI_Finalize();
    return 0;
}
