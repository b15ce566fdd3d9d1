// Two members of an ensemble, of two ranks each, sum their norms over all ranks instead of their own, though each has its communicator:
// each step takes as long as the longer member's. Cured: over the member's. The four ranks wait for accelerators.
#include "unseen.h"

static double seconds_of(int member, int step)
{
    return 0.001 + random_of(step * 2 + member) % 9000 * 1e-6;
}

int main(int argc, char **argv)
{
    enum { STEPS = 200 };
    begin(argc, argv);
    int member = rank % 2, correct = 1;
    MPI_Comm own;
    MPI_Comm_split(MPI_COMM_WORLD, member, rank, &own);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        double mine[2] = {0, 0}, sums[2];
        rest(seconds_of(member, step));
        mine[member] = step + 1;
        MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, cured ? own : MPI_COMM_WORLD); // norm
        correct &= sums[member] == size / 2 * (step + 1);
    }
    MPI_Comm_free(&own);
    return end(correct);
}
