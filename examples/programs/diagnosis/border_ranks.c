// The first rank is late to its neighbor, which is late to its own, and so on: each waits for the one before. First and last
// rank go through other lines than those between.
// run: -n 2
// finding: late_rank ranks 0 at MPI_Send // first
#include "planted_work.h"

int main(int argc, char **argv)
{
    double edge[64] = {0};
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        work(!twin && rank == 0 ? 0.018 : 0.006);
        if (rank == 0) {
            MPI_Send(edge, 64, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // first
        } else if (rank == size - 1) {
            MPI_Recv(edge, 64, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(edge, 64, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(edge, 64, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
        }
    }
    return end();
}
