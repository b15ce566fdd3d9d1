// Each of three ranks receives from any source before it sends: whoever sent first would free all, and nobody does.
// run: -n 3
// hangs: certain knot ranks 0-2
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&data, 1, MPI_INT, (rank + 1) % 3, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
