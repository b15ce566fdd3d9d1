// The last rank finds an error and ends the run, while the others wait for it.
// run: -n 2
// finding: aborted ranks last at MPI_Abort // error
#include "planted_work.h"

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int step = 0; step < 4; step++) {
        work(0.15);
        if (!twin && step == 3 && rank == size - 1)
            MPI_Abort(MPI_COMM_WORLD, 3); // error
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
