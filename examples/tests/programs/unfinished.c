// Gives a copy of an intercommunicator, of which the other rank has not heard yet, an error handler and a name. mpi4py does so.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm inter, copy;
    MPI_Request request;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
    if (rank == 1) {
        usleep(200000);
    }
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(copy, "unfinished");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_remote_size(copy, &size);
    MPI_Barrier(copy);
    MPI_Barrier(copy);
    printf("rank %d of %d\n", rank, size);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
