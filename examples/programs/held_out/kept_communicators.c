// Every step makes a communicator of the ranks that are active in it, and keeps it. Cured: ranks make it once.
#include "held_out.h"

enum { STEPS = 1200 };

static MPI_Comm active = MPI_COMM_NULL;

static void choose(void)
{
    if (cured && active != MPI_COMM_NULL)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &active); // chooses
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        choose();
        int one = 1, all;
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, active);
        correct &= all == size && grind(100000) > 0;
    }
    return end(correct);
}
