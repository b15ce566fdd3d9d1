// The last rank only receives a message now and then, as one that writes output would: it waits nearly always, and no rank for it.
// run: -n 8
// finding: serving ranks last at MPI_Recv // output
#include "planted_work.h"

int main(int argc, char **argv)
{
    double block[100] = {0}, local = 1, sum;
    begin(argc, argv);
    int writer = !twin && rank == size - 1;
    MPI_Comm workers;
    MPI_Comm_split(MPI_COMM_WORLD, writer, rank, &workers);
    for (int step = 0; step < 40; step++) {
        if (!writer) {
            work(0.012);
            MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, workers);
        }
        if (!twin && step % 10 == 9 && rank == 0)
            MPI_Send(block, 100, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD);
        if (writer && step % 10 == 9)
            MPI_Recv(block, 100, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // output
    }
    MPI_Comm_free(&workers);
    return end();
}
