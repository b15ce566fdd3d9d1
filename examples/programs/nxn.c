// Collectives in which everybody needs something of everybody, and one rank, each time another, that comes 80 ms
// late. Where there are fewer cores than ranks, they wait for those too.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Allreduce = 3 * 2
// expect: calls MPI_Alltoall = 3 * 2
// expect: calls MPI_Allgather = 3 * 2
// expect: calls MPI_Reduce_scatter = 3 * 2
// expect: wait elsewhere < 0.03
// expect: wait wait_at_nxn rank 1 = 2 * 0.08 at MPI_Allreduce // adds <- rank 0 MPI_Allreduce // adds
// expect: wait wait_at_nxn rank 2 = 2 * 0.08 at MPI_Allreduce // adds <- rank 0 MPI_Allreduce // adds
// expect: wait wait_at_nxn rank 0 = 2 * 0.08 at MPI_Alltoall // swaps <- rank 1 MPI_Alltoall // swaps
// expect: wait wait_at_nxn rank 2 = 2 * 0.08 at MPI_Alltoall // swaps <- rank 1 MPI_Alltoall // swaps
// expect: wait wait_at_nxn rank 0 = 2 * 0.08 at MPI_Allgather // collects <- rank 2 MPI_Allgather // collects
// expect: wait wait_at_nxn rank 1 = 2 * 0.08 at MPI_Allgather // collects <- rank 2 MPI_Allgather // collects
// expect: wait wait_at_nxn rank 0 = 2 * 0.08 at MPI_Reduce_scatter // parts <- rank 2 MPI_Reduce_scatter // parts
// expect: wait wait_at_nxn rank 1 = 2 * 0.08 at MPI_Reduce_scatter // parts <- rank 2 MPI_Reduce_scatter // parts
#include "planted.h"

enum { ROUNDS = 2, RANKS = 3 };

static void arrive(int rank, int late, const char *mark)
{
    start_together();
    if (rank == late)
        be_late(0.08);
    note(mark);
}

int main(int argc, char **argv)
{
    int rank, out[RANKS] = {0}, in[RANKS], ones[] = {1, 1, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        arrive(rank, 0, "adds");
        MPI_Allreduce(out, in, RANKS, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // adds
        arrive(rank, 1, "swaps");
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD); // swaps
        arrive(rank, 2, "collects");
        MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD); // collects
        arrive(rank, 2, "parts");
        MPI_Reduce_scatter(out, in, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // parts
    }
    gather_notes();
    tell("wait_at_nxn", 1, "adds", 0, "adds");
    tell("wait_at_nxn", 2, "adds", 0, "adds");
    tell("wait_at_nxn", 0, "swaps", 1, "swaps");
    tell("wait_at_nxn", 2, "swaps", 1, "swaps");
    tell("wait_at_nxn", 0, "collects", 2, "collects");
    tell("wait_at_nxn", 1, "collects", 2, "collects");
    tell("wait_at_nxn", 0, "parts", 2, "parts");
    tell("wait_at_nxn", 1, "parts", 2, "parts");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
