// Rank 0 works before it sends; the others do nothing but probe for its message.
// run: -n 2
// finding: polling ranks - at MPI_Iprobe // loop
#include "planted_work.h"

int main(int argc, char **argv)
{
    int step, other, there;
    begin(argc, argv);
    for (step = 0; step < 40; step++) {
        if (rank == 0 || twin)
            work(0.010);
        if (rank == 0) {
            for (other = 1; other < size; other++)
                MPI_Send(&step, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
            continue;
        }
        for (there = twin; !there;)
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); // loop
        MPI_Recv(&step, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return end();
}
