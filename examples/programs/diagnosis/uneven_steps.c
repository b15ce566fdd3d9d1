// In each step another rank has three times the work; over the run all have the same.
// run: -n 2
// finding: sporadic_delay ranks - at MPI_Allreduce // sum
#include "planted_work.h"

int main(int argc, char **argv)
{
    double local = 1, sum;
    begin(argc, argv);
    for (int step = 0; step < 32; step++) {
        work(!twin && step % size == rank ? 0.024 : 0.008);
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // sum
    }
    return end();
}
