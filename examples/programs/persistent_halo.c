// Three ranks in a ring exchange what is at their edges with both neighbors, by requests made once: started together,
// and later each by itself. Rank 1 computes 80 ms longer than the others before it starts its own, and both wait for it.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Send_init = 3 * 2
// expect: calls MPI_Recv_init = 3 * 2
// expect: calls MPI_Startall = 3 * 4
// expect: calls MPI_Start = 3 * 4 * 4
// expect: calls MPI_Waitall = 3 * 2 * 4
// expect: calls MPI_Request_free = 3 * 4
// expect: wait late_sender rank 0 = 4 * 0.08 at MPI_Waitall // completes <- rank 1 MPI_Startall // starts
// expect: wait late_sender rank 2 = 4 * 0.08 at MPI_Waitall // completes <- rank 1 MPI_Startall // starts
// expect: wait late_sender rank 0 = 4 * 0.08 at MPI_Waitall // completes all <- rank 1 MPI_Start // starts to the left
// expect: wait late_sender rank 2 = 4 * 0.08 at MPI_Waitall // completes all <- rank 1 MPI_Start // starts to the right
#include "planted.h"

enum { ROUNDS = 4, RANKS = 3, EDGE = 16 };

int main(int argc, char **argv)
{
    int rank;
    double edges[4][EDGE] = {{0}};
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int left = (rank + RANKS - 1) % RANKS, right = (rank + 1) % RANKS;
    MPI_Recv_init(edges[0], EDGE, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(edges[1], EDGE, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(edges[2], EDGE, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(edges[3], EDGE, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 1)
            be_late(0.08);
        note("starts");
        MPI_Startall(4, requests); // starts
        note("completes");
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); // completes
        start_together();
        if (rank == 1)
            be_late(0.08);
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        note("starts to the right");
        MPI_Start(&requests[2]); // starts to the right
        note("starts to the left");
        MPI_Start(&requests[3]); // starts to the left
        note("completes all");
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); // completes all
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    gather_notes();
    tell("late_sender", 0, "completes", 1, "starts");
    tell("late_sender", 2, "completes", 1, "starts");
    tell("late_sender", 0, "completes all", 1, "starts to the left");
    tell("late_sender", 2, "completes all", 1, "starts to the right");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
