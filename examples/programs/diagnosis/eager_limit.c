// Of each pair, one rank is late in even steps and the other in odd ones. The even rank's message is just too large to be sent before
// the odd one receives it, so that each waits for the other; the twin's is not, and over two steps both are done at the same time.
// run: -n 2
// cannot: impi impiabi (it sends up to a mebibyte at once)
// finding: eager_limit ranks odd at MPI_Recv // take
#include "planted_work.h"

// Open MPI sends up to 256 bytes inline; more waits until the receiver enters MPI, even below the limit.
enum { LARGE = 100000, SMALL = 100 };

int main(int argc, char **argv)
{
    static char block[LARGE];
    begin(argc, argv);
    int bytes = twin ? SMALL : LARGE;
    for (int step = 0; step < 40; step++) {
        if (rank % 2 == 0) {
            work(step % 2 == 0 ? 0.006 : 0.017);
            if (rank + 1 < size)
                MPI_Send(block, bytes, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
        } else {
            work(step % 2 == 0 ? 0.018 : 0.006);
            MPI_Recv(block, bytes, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // take
        }
    }
    return end();
}
