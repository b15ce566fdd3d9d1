// Each rank receives from the one below it, on a ring of four without its last edge. Rank 1 comes 100 ms late: rank 2 waits
// for it, and the others, whom it only sends to or does not know, go on. So in MPI_Neighbor_alltoall, and in the MPI_Wait
// of a MPI_Ineighbor_allgather begun before. On a line of four, as a grid, both sides wait for it.
// run: -n 4
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Dist_graph_create_adjacent MPI_Cart_create MPI_Comm_free
// expect: calls MPI_Neighbor_alltoall = 4 * 2
// expect: calls MPI_Ineighbor_allgather = 4 * 2
// expect: calls MPI_Neighbor_allgather = 4 * 2
// expect: calls MPI_Wait = 4 * 2
// expect: received MPI_Neighbor_alltoall rank 0 = 0
// expect: received MPI_Neighbor_alltoall rank 3 = 2 * 4
// expect: wait wait_at_neighbors rank 2 = 2 * 0.1 at MPI_Neighbor_alltoall // swaps <- rank 1 MPI_Neighbor_alltoall // swaps
// expect: wait wait_at_neighbors rank 2 = 2 * 0.1 at MPI_Wait // completes <- rank 1 MPI_Ineighbor_allgather // begins
// expect: wait wait_at_neighbors rank 0 = 2 * 0.1 at MPI_Neighbor_allgather // gathers <- rank 1 MPI_Neighbor_allgather // gathers
// expect: wait wait_at_neighbors rank 2 = 2 * 0.1 at MPI_Neighbor_allgather // gathers <- rank 1 MPI_Neighbor_allgather // gathers
#include "planted.h"

enum { ROUNDS = 2, RANKS = 4, LATE = 1 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, in[2];
    const int ranks = RANKS, open = 0;
    MPI_Comm ring, line;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int below = rank - 1, above = rank + 1, has_below = rank > 0, has_above = rank < RANKS - 1;
    start_together();
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, has_below, &below, MPI_UNWEIGHTED, has_above, &above, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    start_together();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open, 0, &line);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == LATE)
            be_late(0.1);
        in[0] = in[1] = -1;
        note("swaps");
        MPI_Neighbor_alltoall(&rank, 1, MPI_INT, in, 1, MPI_INT, ring); // swaps
        wrong += in[0] != below;

        start_together();
        if (rank == LATE)
            be_late(0.1);
        note("begins");
        MPI_Ineighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring, &request); // begins
        note("completes");
        MPI_Wait(&request, MPI_STATUS_IGNORE); // completes

        start_together();
        if (rank == LATE)
            be_late(0.1);
        in[0] = in[1] = -1;
        note("gathers");
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, line); // gathers
        wrong += in[0] != below || (has_above && in[1] != above);
    }
    start_together();
    MPI_Comm_free(&ring);
    start_together();
    MPI_Comm_free(&line);
    gather_notes();
    tell("wait_at_neighbors", 2, "swaps", LATE, "swaps");
    tell("wait_at_neighbors", 2, "completes", LATE, "begins");
    tell("wait_at_neighbors", 0, "gathers", LATE, "gathers");
    tell("wait_at_neighbors", 2, "gathers", LATE, "gathers");
    if (wrong)
        printf("wrong: %d numbers on rank %d\n", wrong, rank);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
