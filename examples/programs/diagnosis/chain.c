// In each step a rank needs the result of the one before it, so that one works at a time. The twin's ranks work on what
// they got in the step before.
// run: -n 2
// finding: chain ranks - at MPI_Send // hand on
#include "planted_work.h"

int main(int argc, char **argv)
{
    double edge[64] = {0};
    int steps = 30;
    begin(argc, argv);
    int to = (rank + 1) % size;
    int from = (rank + size - 1) % size;
    if (twin) {
        for (int step = 0; step < steps; step++) {
            work(0.010);
            MPI_Sendrecv_replace(edge, 64, MPI_DOUBLE, to, 1, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        return end();
    }
    for (int step = 0; step < steps; step++) {
        if (step > 0 || rank > 0)
            MPI_Recv(edge, 64, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(0.040 / size);
        if (step < steps - 1 || rank < size - 1)
            MPI_Send(edge, 64, MPI_DOUBLE, to, 1, MPI_COMM_WORLD); // hand on
    }
    return end();
}
