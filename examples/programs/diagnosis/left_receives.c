// Each step posts a receive for a word that may end the run, and forgets its request: the library looks past all of them for each message. The
// twin posts it once.
// run: -n 2
// finding: leak ranks - at MPI_Irecv // may end
#include "planted_work.h"

static int word, end_tag = 99;
static MPI_Request ends = MPI_REQUEST_NULL;

static void listen_for_end(void)
{
    if (twin && ends != MPI_REQUEST_NULL)
        return;
    MPI_Irecv(&word, 1, MPI_INT, (rank + 1) % size, end_tag, MPI_COMM_WORLD, &ends); // may end
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // Ranks that share cores change them at each message.
    int steps = size > 2 ? 1500 : 3000;
    for (int step = 0; step < steps; step++) {
        listen_for_end();
        work(0.00003);
        double out = step, in;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, &in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); // border
        sink += in;
    }
    MPI_Cancel(&ends);
    MPI_Wait(&ends, MPI_STATUS_IGNORE);
    return end();
}
