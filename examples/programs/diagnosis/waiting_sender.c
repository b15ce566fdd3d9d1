// The ranks of a pair have 8 and 12 ms of work a step, and then wait for all. The even one sends after 2 ms, in a call that waits for
// the receiver whatever the library sends at once, and the odd one receives when it has done its work.
// run: -n 2
// finding: late_receiver ranks odd at MPI_Recv // take
#include "planted_work.h"

enum { BYTES = 64 << 10 };

int main(int argc, char **argv)
{
    char *block = malloc(BYTES);
    begin(argc, argv);
    memset(block, rank, BYTES);
    for (int step = 0; step < 40; step++) {
        if (rank % 2 == 0) {
            work(0.002);
            if (rank + 1 < size)
                MPI_Ssend(block, BYTES, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
            work(twin ? 0.008 : 0.006);
        } else {
            work(twin ? 0.002 : 0.012);
            MPI_Recv(block, BYTES, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // take
            if (twin)
                work(0.008);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(block);
    return end();
}
