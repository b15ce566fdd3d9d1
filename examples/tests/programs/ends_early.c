// After a reduction rank 1 ends without MPI_Finalize, as if all were well, while the others finalize MPI.
// run: -n 3
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        // The others come to their end before.
        usleep(300000);
        _exit(0);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("finalized\n");
    return 0;
}
