// Rank 0 sends the same array to each other rank in turn, where MPI_Bcast would do.
// run: -n 8
// finding: collective_by_hand ranks 0 at MPI_Send // array
#include "planted_work.h"

enum { BYTES = 2000000 };

int main(int argc, char **argv)
{
    static char array[BYTES];
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        work(0.003);
        if (twin)
            MPI_Bcast(array, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int other = 1; !twin && rank == 0 && other < size; other++)
            MPI_Send(array, BYTES, MPI_BYTE, other, 0, MPI_COMM_WORLD); // array
        if (!twin && rank > 0)
            MPI_Recv(array, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return end();
}
