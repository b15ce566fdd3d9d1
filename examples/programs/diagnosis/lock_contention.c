// Each rank computes while it has the lock of rank 0's window, and the others wait for it. The twin computes before it takes the lock.
// run: -n 2
// cannot: mpich4 mpich5 mpich5abi impi impiabi (rank 0 grants the lock only while it is in MPI, so that the twin waits for it, too)
// finding: lock_contention ranks - at MPI_Win_lock // takes
#include "planted_work.h"

int main(int argc, char **argv)
{
    int *counter, one = 1;
    MPI_Win window;
    begin(argc, argv);
    MPI_Win_allocate(sizeof one, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 400 / size; step++) {
        work(0.001);
        if (twin)
            work(0.003);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); // takes
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        if (!twin)
            work(0.003);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    return end();
}
