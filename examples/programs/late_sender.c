// Rank 1 receives at once, and rank 0 computes 100 ms before it sends. Rank 1 waits in MPI_Recv, in the MPI_Wait of a
// receive begun before, and in MPI_Sendrecv; the messages are short ones and long ones by turns.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Send rank 0 = 2
// expect: calls MPI_Recv rank 1 = 2
// expect: calls MPI_Isend rank 0 = 2
// expect: calls MPI_Irecv rank 1 = 2
// expect: calls MPI_Wait = 2 * 2
// expect: calls MPI_Sendrecv = 2 * 2
// expect: sent MPI_Send = 8 + 1048576
// expect: wait late_sender rank 1 = 2 * 0.1 at MPI_Recv // receives <- rank 0 MPI_Send // sends
// expect: wait late_sender rank 1 = 2 * 0.1 at MPI_Wait // completes <- rank 0 MPI_Isend // begins to send
// expect: wait late_sender rank 1 = 2 * 0.1 at MPI_Sendrecv // swaps <- rank 0 MPI_Sendrecv // swaps
#include "planted.h"

enum { ROUNDS = 2, LONG = 1 << 20 };

static char out[LONG], in[LONG];

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    for (int round = 0; round < ROUNDS; round++) {
        int bytes = round % 2 ? LONG : 8;
        start_together();
        if (rank == 0) {
            be_late(0.1);
            note("sends");
            MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD); // sends
        } else {
            note("receives");
            MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // receives
        }
        start_together();
        if (rank == 0) {
            be_late(0.1);
            note("begins to send");
            MPI_Isend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request); // begins to send
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
            note("completes");
            MPI_Wait(&request, MPI_STATUS_IGNORE); // completes
        }
        start_together();
        if (rank == 0)
            be_late(0.1);
        note("swaps");
        MPI_Sendrecv(out, 8, MPI_BYTE, other, 0, in, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD, &status); // swaps
    }
    gather_notes();
    tell("late_sender", 1, "receives", 0, "sends");
    tell("late_sender", 1, "completes", 0, "begins to send");
    tell("late_sender", 1, "swaps", 0, "swaps");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
