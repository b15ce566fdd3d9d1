// The program has a function around MPI_Init of its own.
// run: -n 2
#include <mpi.h>
#include <stdio.h>

static int entered;

int MPI_Init(int *argc, char ***argv)
{
    entered = 1;
    return PMPI_Init(argc, argv);
}

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&entered, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("initialized %d times\n", sum);
    MPI_Finalize();
    return 0;
}
