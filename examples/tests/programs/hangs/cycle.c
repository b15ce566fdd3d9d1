// Each of three ranks receives from the next one before it sends to the one before: nobody ever sends.
// run: -n 3
// hangs: certain cycle ranks 0-2
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_INT, (rank + 1) % 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&data, 1, MPI_INT, (rank + 2) % 3, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
