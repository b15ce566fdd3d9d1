// A step has phases in which now the one, now the other rank has more to do, and between them barriers that somebody put there to time the
// phases. Cured: the ranks wait for each other's border alone, once per step.
#include "unseen.h"

#define STEPS 260

static void advection(void)
{
    spend(rank == 0 ? 1500000 : 300000);
}

static void chemistry(void)
{
    spend(rank == 0 ? 400000 : 1600000);
}

static void timed(void (*phase)(void))
{
    if (!cured)
        MPI_Barrier(MPI_COMM_WORLD); // before the phase
    phase();
    if (!cured)
        MPI_Barrier(MPI_COMM_WORLD); // after the phase
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int other = 1 - rank, correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        int mine = step * 2 + rank, theirs;
        timed(advection);
        timed(chemistry);
        MPI_Sendrecv(&mine, 1, MPI_INT, other, 0, &theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // border
        correct &= theirs == step * 2 + other;
    }
    return end(correct);
}
