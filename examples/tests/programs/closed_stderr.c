// The program closes stderr, and opens a result file that gets its number.
// run: -n 1 -- RESULT
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    close(2);
    int result = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
    MPI_Finalize();
    printf("%d\n", result);
    return write(result, "result\n", 7) != 7;
}
