// Four ranks with 20, 40, 60 and 80 ms of work between the sums they take together: the less a rank has to do, the longer
// it waits for rank 3. Where there are fewer cores than ranks, they wait for those too.
// run: -n 4
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Allreduce = 4 * 8
// expect: wait elsewhere < 0.03
// expect: wait wait_at_nxn rank 0 = 8 * 0.06 at MPI_Allreduce // adds <- rank 3 MPI_Allreduce // adds
// expect: wait wait_at_nxn rank 1 = 8 * 0.04 at MPI_Allreduce // adds <- rank 3 MPI_Allreduce // adds
// expect: wait wait_at_nxn rank 2 = 8 * 0.02 at MPI_Allreduce // adds <- rank 3 MPI_Allreduce // adds
#include "planted.h"

enum { STEPS = 8 };

int main(int argc, char **argv)
{
    int rank;
    double error = 1, largest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_together();
    for (int step = 0; step < STEPS; step++) {
        be_late(0.02 * (rank + 1));
        note("adds");
        MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // adds
    }
    gather_notes();
    for (int waiting = 0; waiting < 3; waiting++)
        tell("wait_at_nxn", waiting, "adds", 3, "adds");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
