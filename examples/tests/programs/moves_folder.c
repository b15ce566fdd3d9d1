// Rank 0 runs a command between two barriers, as one that moves the run's folder.
// run: -n 2 -- COMMAND
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        status = system(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status != 0;
}
