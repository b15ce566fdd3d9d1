// The lower ranks form one half, the upper ones another. Each rank exchanges ten messages with its neighbor in its half, and one with
// the rank of the other half that has the same place; all meet in a sum, and each half in sums of its own. Rank 0 prints the sum.
// run: -n 4
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0, other = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, rank ^ 1, i, &other, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int there = (rank + size / 2) % size;
    MPI_Sendrecv(&rank, 1, MPI_INT, there, 99, &other, 1, MPI_INT, there, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
