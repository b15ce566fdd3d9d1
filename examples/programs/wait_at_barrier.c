// Two barriers: rank 1 comes 100 ms late to the first, rank 0 to the second.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Barrier = 2 * 2 * 3
// expect: wait wait_at_barrier rank 0 = 3 * 0.1 at MPI_Barrier // first <- rank 1 MPI_Barrier // first
// expect: wait wait_at_barrier rank 1 = 3 * 0.1 at MPI_Barrier // second <- rank 0 MPI_Barrier // second
// expect: wait elsewhere < 0.02
#include "planted.h"
enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 1)
            be_late(0.1);
        note("first");
        MPI_Barrier(MPI_COMM_WORLD); // first
        start_together();
        if (rank == 0)
            be_late(0.1);
        note("second");
        MPI_Barrier(MPI_COMM_WORLD); // second
    }
    gather_notes();
    tell("wait_at_barrier", 0, "first", 1, "first");
    tell("wait_at_barrier", 1, "second", 0, "second");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
