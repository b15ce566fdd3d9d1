// Rank 0 sends ten messages of 8 bytes to rank 1; rank 0 prints "done".
// run: -n 2 -- [exit STATUS | crash | calls COUNT | sizes COUNT]
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    char *data = calloc(1, 1 << 20);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(data, 8, MPI_BYTE, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(data, 8, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (argc > 2 && !strcmp(argv[1], "calls"))
        for (int i = 0; i < atoi(argv[2]); i++)
            MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_SELF);
    if (argc > 2 && !strcmp(argv[1], "sizes"))
        for (int i = 1; i <= atoi(argv[2]); i++)
            MPI_Bcast(data, i, MPI_BYTE, 0, MPI_COMM_SELF);
    if (argc > 1 && !strcmp(argv[1], "crash") && rank == 1)
        raise(SIGSEGV);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return argc > 2 && !strcmp(argv[1], "exit") ? atoi(argv[2]) : 0;
}
