// Makes ten calls, and becomes the command that its arguments name once MPI is finalized.
// run: -n 1 -- [COMMAND ...]
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int number = 1;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Finalize();
    puts("done");
    fflush(stdout);
    if (argc > 1)
        execvp(argv[1], argv + 1);
    return argc > 1;
}
