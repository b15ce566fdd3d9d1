// Fills its file, so that calls are only counted, and then makes 67 calls of MPI_Comm_rank, and 92 more inside MPI_Comm_dup: in
// the callback that copies an attribute.
// run: -n 2
#include <mpi.h>
#include <stdio.h>

static int copied(MPI_Comm comm, int key, void *state, void *value, void *copy, int *flag)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *flag = 0;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, rank, value = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 500000; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    for (int i = 0; i < 92; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 67; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
