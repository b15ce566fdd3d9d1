// Rank 2 leaves a nonblocking barrier out: the others wait for its end, and it for them in MPI_Finalize.
// run: -n 4
// hangs: certain missing rank 2
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 2)
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
