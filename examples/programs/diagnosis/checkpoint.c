// Every tenth step rank 0 is busy with a checkpoint, and the others wait for it.
// run: -n 2
// finding: serial_work ranks 0 at MPI_Barrier // go on
#include "planted_work.h"

int main(int argc, char **argv)
{
    double local = 1, sum;
    begin(argc, argv);
    for (int step = 0; step < 60; step++) {
        work(0.004);
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 10 == 9) {
            if (!twin && rank == 0)
                work(0.060);
            MPI_Barrier(MPI_COMM_WORLD); // go on
        }
    }
    return end();
}
