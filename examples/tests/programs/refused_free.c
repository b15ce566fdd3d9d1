// MPI refuses to free a communicator on rank 0, since the callback that deletes its attribute says no the first time. It stays
// what it was: 20 calls of MPI_Allreduce on it before, 30 after. Prints "refused" once.
// run: -n 2
#include <mpi.h>
#include <stdio.h>

static int refuses = 1;

static int deleted(MPI_Comm comm, int key, void *value, void *state)
{
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, key, one = 1, sum;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "kept");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        puts(MPI_Comm_free(&comm) != MPI_SUCCESS && comm != MPI_COMM_NULL ? "refused" : "freed");
    refuses = 0;
    for (int i = 0; i < 30; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
