// Two stages of a pipeline whose items take long in the one or in the other. MPI_Ssend, left from a search for a deadlock, binds the first
// stage to the second. Cured: MPI_Send, and the small items are buffered.
#include "unseen.h"

enum { ITEMS = 640 };

// Long and short items come in runs of eight.
static long turns(int item, int stage)
{
    return item / 8 % 2 == stage ? 1000000 : 80000;
}

static void decode(int item, int *coded)
{
    spend(turns(item, 0));
    coded[0] = item;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int coded[16] = {0}, correct = 1;
    begin_loop();
    for (int item = 0; item < ITEMS; item++) {
        if (rank == 0) {
            decode(item, coded);
            if (cured)
                MPI_Send(coded, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Ssend(coded, 16, MPI_INT, 1, 0, MPI_COMM_WORLD); // synchronous
        } else {
            MPI_Recv(coded, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // next item
            spend(turns(item, 1));
            correct &= coded[0] == item;
        }
    }
    return end(correct);
}
