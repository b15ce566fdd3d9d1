// Each rank of a pair has 4 MiB for the other: the even one sends at once, the odd one computes before it receives.
// run: -n 2
// finding: late_receiver ranks odd at MPI_Recv // take
#include "planted_work.h"

enum { BYTES = 4 << 20 };

int main(int argc, char **argv)
{
    char *block = malloc(BYTES);
    begin(argc, argv);
    memset(block, rank, BYTES);
    for (int step = 0; step < 40; step++) {
        if (rank % 2 == 0) {
            work(0.004);
            if (rank + 1 < size)
                MPI_Send(block, BYTES, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
            work(twin ? 0.010 : 0.002);
        } else {
            work(twin ? 0.004 : 0.014);
            MPI_Recv(block, BYTES, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // take
            if (twin)
                work(0.010);
        }
    }
    free(block);
    return end();
}
