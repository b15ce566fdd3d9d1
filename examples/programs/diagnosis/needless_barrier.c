// Ranks have more work in turn, and a barrier that nothing needs behind each step.
// run: -n 2
// finding: needless_barrier ranks - at MPI_Barrier // habit
#include "planted_work.h"

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int step = 0; step < 80; step++) {
        work(step % size == rank ? 0.012 : 0.004);
        if (!twin)
            MPI_Barrier(MPI_COMM_WORLD); // habit
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
