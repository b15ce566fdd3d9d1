// Rank 1 makes an MPI_Allreduce where the others make an MPI_Barrier on the same communicator.
// run: -n 3
// hangs: certain mismatch rank 1
#include <mpi.h>

// The sum of so many numbers takes more than one message of any library.
enum { MANY = 1 << 20 };

static int mine[MANY], sum[MANY];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Allreduce(mine, sum, MANY, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
