// MPI calls the program back, and the program calls MPI from there: when attributes are copied and deleted, also by
// MPI_Finalize, in reduction operations of its own, and in an error handler.
// run: -n 2
// filter: all
// also: MPI_Comm_create_keyval MPI_Comm_set_attr MPI_Comm_delete_attr MPI_Comm_free_keyval MPI_Op_create MPI_Op_free
// also: MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Comm_call_errhandler MPI_Errhandler_free
// expect: calls MPI_Comm_dup = 2 * 6
// expect: calls MPI_Comm_free = 2 * 6
// expect: calls MPI_Comm_rank = 2
// expect: nested MPI_Comm_rank = 2 * 5
// expect: calls MPI_Sendrecv = 0
// expect: nested MPI_Sendrecv = 2 * 5
// expect: calls MPI_Comm_size = 0
// expect: nested MPI_Comm_size = 2 * 8
// expect: calls MPI_Reduce_local = 2 * 3
// expect: calls MPI_Type_size = 0
// expect: nested MPI_Type_size = 2 * 3
// expect: calls MPI_Type_get_extent = 0
// expect: calls MPI_Allreduce = 2 * 2
// expect: sent MPI_Allreduce rank 0 = 2 * 4 * 100
// expect: calls MPI_Error_class = 0
// expect: nested MPI_Error_class = 2
#include <mpi.h>
#include <stdio.h>

static int copies, deletions, reductions, handled, wrong;

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *copied, int *flag)
{
    int rank, got = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 7, &got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    wrong += got != rank;
    copies++;
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int size;
    MPI_Comm_size(comm, &size);
    wrong += size < 1 || value != (void *)&copies;
    deletions++;
    return MPI_SUCCESS;
}

static void add(int *in, int *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] += in[i];
}

static void add_sized(void *in, void *out, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    wrong += size != sizeof(int);
    reductions++;
    add(in, out, *count);
}

static void add_extent(void *in, void *out, int *count, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    wrong += extent != sizeof(int);
    add(in, out, *count);
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    handled += class == MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int rank, key, in[100], out[100] = {0};
    MPI_Comm comm, other;
    MPI_Op sized, extent;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(copy, delete, &key, NULL);
    MPI_Comm_set_attr(comm, key, &copies);
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(comm, &other);
        MPI_Comm_free(&other);
    }
    MPI_Comm_set_attr(comm, key, &copies);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &copies);
    MPI_Comm_free_keyval(&key);

    for (int i = 0; i < 100; i++)
        in[i] = i;
    MPI_Op_create(add_sized, 1, &sized);
    MPI_Op_create(add_extent, 0, &extent);
    for (int i = 0; i < 3; i++)
        MPI_Reduce_local(in, out, 100, MPI_INT, sized);
    wrong += out[99] != 3 * 99;
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(in, out, 100, MPI_INT, extent, MPI_COMM_WORLD);
    wrong += out[99] != 2 * 99;
    MPI_Op_free(&sized);
    MPI_Op_free(&extent);

    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (copies != 5 || deletions != 8 || reductions != 3 || handled != 1 || wrong)
        printf("wrong: %d %d %d %d %d\n", copies, deletions, reductions, handled, wrong);
    else if (rank == 0)
        puts("ok");
    return 0;
}
