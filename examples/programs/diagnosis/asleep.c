// The last rank sleeps for 5 ms before each sum, as until a file appears.
// run: -n 2
// finding: late_rank ranks last at MPI_Allreduce // sum
#include "planted_work.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    double error = 1, most;
    begin(argc, argv);
    for (int step = 0; step < 60; step++) {
        work(0.002);
        if (!twin && rank == size - 1)
            usleep(5000);
        MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // sum
    }
    return end();
}
