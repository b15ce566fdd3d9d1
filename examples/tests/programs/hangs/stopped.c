// Rank 2 stops itself, and all others wait for it in a barrier. Whoever stopped it may continue it.
// run: -n 3
// hangs: unknown stopped rank 2
#include <mpi.h>
#include <signal.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        raise(SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
