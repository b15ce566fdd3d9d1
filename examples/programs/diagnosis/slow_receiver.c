// Each odd rank sends many small messages to the rank before it, which works after each of them.
// run: -n 2
// finding: slow_receiver ranks even at MPI_Send // row
#include "planted_work.h"

int main(int argc, char **argv)
{
    char block[512] = {0};
    begin(argc, argv);
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 800; i++) {
            if (rank % 2 == 1) {
                if (twin)
                    work(0.0003);
                MPI_Send(block, sizeof block, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD); // row
            } else {
                MPI_Recv(block, sizeof block, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                work(0.0003);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
