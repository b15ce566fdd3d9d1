// Every step posts a receive for a message that may ask to stop, drops the request, and posts another in the next: the library looks past
// all of them for each message, so that steps take longer and longer. Cured: one receive, posted once.
#include "held_out.h"

enum { STEPS = 2000, MESSAGES = 3 };

static int word;
static MPI_Request stop = MPI_REQUEST_NULL;

static void listen(void)
{
    if (cured && stop != MPI_REQUEST_NULL)
        return;
    MPI_Irecv(&word, 1, MPI_INT, rank ^ 1, 99, MPI_COMM_WORLD, &stop); // stop
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        listen();
        for (int message = 0; message < MESSAGES; message++) {
            int mine = step, others = -1;
            MPI_Sendrecv(&mine, 1, MPI_INT, rank ^ 1, 0, &others, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // edge
            correct &= others == step;
        }
        correct &= grind(5000) > 0;
    }
    MPI_Cancel(&stop);
    MPI_Wait(&stop, MPI_STATUS_IGNORE);
    return end(correct);
}
