// The root of MPI_Reduce and of MPI_Gather waits for one that comes 80 ms after it. The third rank has given what it had
// to give and goes on. (Intel MPI lets it wait in MPI_Reduce too.)
// run: -n 3
// also: MPI_Iallreduce MPI_Test
// expect: calls MPI_Reduce = 3 * 3
// expect: calls MPI_Gather = 3 * 3 + 3
// expect: wait early_reduce rank 0 = 3 * 0.08 at MPI_Reduce // adds <- rank 2 MPI_Reduce // adds
// expect: wait early_reduce rank 1 = 3 * 0.08 at MPI_Gather // collects <- rank 0 MPI_Gather // collects
#include "planted.h"

enum { ROUNDS = 3, RANKS = 3 };

int main(int argc, char **argv)
{
    int rank, part = 0, data[RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 2)
            be_late(0.08);
        note("adds");
        MPI_Reduce(&part, data, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); // adds
        start_together();
        if (rank == 0)
            be_late(0.08);
        note("collects");
        MPI_Gather(&part, 1, MPI_INT, data, 1, MPI_INT, 1, MPI_COMM_WORLD); // collects
    }
    gather_notes();
    tell("early_reduce", 0, "adds", 2, "adds");
    tell("early_reduce", 1, "collects", 0, "collects");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
