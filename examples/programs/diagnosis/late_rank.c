// The last rank has three times the work of the others before each sum.
// run: -n 2
// finding: late_rank ranks last at MPI_Allreduce // sum
#include "planted_work.h"

int main(int argc, char **argv)
{
    double error = 1, most;
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        work(!twin && rank == size - 1 ? 0.015 : 0.005);
        MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // sum
    }
    return end();
}
