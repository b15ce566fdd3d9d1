// Rank 1 sends to rank 0, and then all ranks exit with status 3, without MPI_Finalize.
// run: -n 2
// status: 3
// also: MPI_Barrier
// expect: calls MPI_Send rank 1 = 10
// expect: sent MPI_Send rank 1 = 10 * 4
// expect: messages MPI_Send 1 -> 0 = 10
// expect: calls MPI_Recv rank 0 = 10
// expect: received MPI_Recv rank 0 = 10 * 4
// expect: calls MPI_Finalize = 0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, number, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        number = i;
        if (rank == 1)
            MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += number != i;
    }
    if (rank == 0 && wrong)
        printf("wrong: %d numbers\n", wrong);
    else if (rank == 0)
        puts("ok");
    // A launcher may end the other ranks when one has exited.
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    exit(3);
}
