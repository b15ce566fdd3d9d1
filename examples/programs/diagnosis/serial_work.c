// Rank 0 gathers a part of each rank, works on all of it alone, and spreads the result.
// run: -n 2
// finding: serial_work ranks 0 at MPI_Bcast // result
#include "planted_work.h"

int main(int argc, char **argv)
{
    double part = 1, *parts, result = 0;
    begin(argc, argv);
    parts = calloc(size, sizeof *parts);
    for (int step = 0; step < 20; step++) {
        work(0.010);
        MPI_Gather(&part, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (!twin && rank == 0)
            work(0.020);
        MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // result
    }
    free(parts);
    return end();
}
