// Each number is put into the next rank's window in an epoch of its own. The twin puts all numbers of a step in one epoch.
// run: -n 2
// finding: small_epochs ranks - at MPI_Win_fence // each
#include "planted_work.h"

enum { MOST = 600 };

int main(int argc, char **argv)
{
    double *there, numbers[MOST] = {0};
    MPI_Win window;
    begin(argc, argv);
    MPI_Win_allocate(sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &window);
    // Eight ranks on two cores take a turn of the scheduler for each epoch.
    int count = size > 2 ? 40 : MOST, next = (rank + 1) % size;
    MPI_Win_fence(0, window);
    for (int step = 0; step < 20; step++) {
        work(0.004);
        for (int i = 0; i < count; i++) {
            MPI_Put(&numbers[i], 1, MPI_DOUBLE, next, i, 1, MPI_DOUBLE, window);
            if (!twin)
                MPI_Win_fence(0, window); // each
        }
        MPI_Win_fence(0, window);
        sink += there[0];
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    return end();
}
