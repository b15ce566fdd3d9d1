// Two barriers: to the first, rank 2 comes 80 ms after the others; to the second, rank 0 does, and rank 1
// does 40 ms before it.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Barrier = 3 * 2 * 3
// expect: wait wait_at_barrier rank 0 = 3 * 0.08 at MPI_Barrier // first <- rank 2 MPI_Barrier // first
// expect: wait wait_at_barrier rank 1 = 3 * 0.08 at MPI_Barrier // first <- rank 2 MPI_Barrier // first
// expect: wait wait_at_barrier rank 1 = 3 * 0.04 at MPI_Barrier // second <- rank 0 MPI_Barrier // second
// expect: wait wait_at_barrier rank 2 = 3 * 0.08 at MPI_Barrier // second <- rank 0 MPI_Barrier // second
#include "planted.h"

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 2)
            be_late(0.08);
        note("first");
        MPI_Barrier(MPI_COMM_WORLD); // first
        start_together();
        if (rank == 0)
            be_late(0.08);
        if (rank == 1)
            be_late(0.04);
        note("second");
        MPI_Barrier(MPI_COMM_WORLD); // second
    }
    gather_notes();
    tell("wait_at_barrier", 0, "first", 2, "first");
    tell("wait_at_barrier", 1, "first", 2, "first");
    tell("wait_at_barrier", 1, "second", 0, "second");
    tell("wait_at_barrier", 2, "second", 0, "second");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
