// A neighborhood collective call on a grid of two ranks is created once and started again and again. Rank 1 starts it 100 ms
// after rank 0, which waits for it in MPI_Wait.
// run: -n 2
// needs: MPI_Neighbor_alltoall_init
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Cart_create MPI_Comm_free MPI_Request_free
// expect: calls MPI_Neighbor_alltoall_init = 2
// expect: calls MPI_Start = 2 * 3
// expect: calls MPI_Wait = 2 * 3
// expect: wait wait_at_neighbors rank 0 = 3 * 0.1 at MPI_Wait // completes <- rank 1 MPI_Start // starts
#include "planted.h"

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, out[2], in[2];
    const int ranks = 2, open = 0;
    MPI_Comm line;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_together();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open, 0, &line);
    start_together();
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, line, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        out[0] = out[1] = round;
        start_together();
        if (rank == 1)
            be_late(0.1);
        note("starts");
        MPI_Start(&request); // starts
        note("completes");
        MPI_Wait(&request, MPI_STATUS_IGNORE); // completes
        wrong += in[1 - rank] != round;
    }
    MPI_Request_free(&request);
    start_together();
    MPI_Comm_free(&line);
    gather_notes();
    tell("wait_at_neighbors", 0, "completes", 1, "starts");
    if (wrong)
        printf("wrong: %d numbers on rank %d\n", wrong, rank);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
