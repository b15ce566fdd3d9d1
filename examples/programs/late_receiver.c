// Rank 0 sends at once what cannot be gone before somebody receives it, and rank 1 computes 100 ms before it does. Rank 0
// waits in MPI_Ssend of a few bytes, in MPI_Send of many, and in the MPI_Wait of a send of many that it began before.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Ssend rank 0 = 2
// expect: calls MPI_Send rank 0 = 2
// expect: calls MPI_Isend rank 0 = 2
// expect: calls MPI_Recv rank 1 = 2 * 2
// expect: calls MPI_Irecv rank 1 = 2
// expect: calls MPI_Wait = 2 * 2
// expect: wait late_receiver rank 0 = 2 * 0.1 at MPI_Ssend // sends few <- rank 1 MPI_Recv // receives few
// expect: wait late_receiver rank 0 = 2 * 0.1 at MPI_Send // sends many <- rank 1 MPI_Recv // receives many
// expect: wait late_receiver rank 0 = 2 * 0.1 at MPI_Wait // completes <- rank 1 MPI_Irecv // begins to receive
#include "blocking.h"
#include "planted.h"

enum { ROUNDS = 2 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int many = blocking_bytes();
    char *data = calloc(1, many);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 0) {
            note("sends few");
            MPI_Ssend(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD); // sends few
        } else {
            be_late(0.1);
            note("receives few");
            MPI_Recv(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // receives few
        }
        start_together();
        if (rank == 0) {
            note("sends many");
            MPI_Send(data, many, MPI_BYTE, 1, 0, MPI_COMM_WORLD); // sends many
        } else {
            be_late(0.1);
            note("receives many");
            MPI_Recv(data, many, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // receives many
        }
        start_together();
        if (rank == 0) {
            MPI_Isend(data, many, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            note("completes");
            MPI_Wait(&request, MPI_STATUS_IGNORE); // completes
        } else {
            be_late(0.1);
            note("begins to receive");
            MPI_Irecv(data, many, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request); // begins to receive
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    gather_notes();
    tell("late_receiver", 0, "sends few", 1, "receives few");
    tell("late_receiver", 0, "sends many", 1, "receives many");
    tell("late_receiver", 0, "completes", 1, "begins to receive");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
