// The root of MPI_Bcast and of MPI_Scatter comes 80 ms after those who want its data, and those wait.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Bcast = 3 * 3
// expect: calls MPI_Scatter = 3 * 3
// expect: wait late_broadcast rank 0 = 3 * 0.08 at MPI_Bcast // broadcasts <- rank 1 MPI_Bcast // broadcasts
// expect: wait late_broadcast rank 2 = 3 * 0.08 at MPI_Bcast // broadcasts <- rank 1 MPI_Bcast // broadcasts
// expect: wait late_broadcast rank 1 = 3 * 0.08 at MPI_Scatter // scatters <- rank 0 MPI_Scatter // scatters
// expect: wait late_broadcast rank 2 = 3 * 0.08 at MPI_Scatter // scatters <- rank 0 MPI_Scatter // scatters
#include "planted.h"

enum { ROUNDS = 3, RANKS = 3 };

int main(int argc, char **argv)
{
    int rank, data[RANKS] = {0}, part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 1)
            be_late(0.08);
        note("broadcasts");
        MPI_Bcast(data, RANKS, MPI_INT, 1, MPI_COMM_WORLD); // broadcasts
        start_together();
        if (rank == 0)
            be_late(0.08);
        note("scatters");
        MPI_Scatter(data, 1, MPI_INT, &part, 1, MPI_INT, 0, MPI_COMM_WORLD); // scatters
    }
    gather_notes();
    tell("late_broadcast", 0, "broadcasts", 1, "broadcasts");
    tell("late_broadcast", 2, "broadcasts", 1, "broadcasts");
    tell("late_broadcast", 1, "scatters", 0, "scatters");
    tell("late_broadcast", 2, "scatters", 0, "scatters");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
