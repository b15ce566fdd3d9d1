// Calls that are left out go to MPI at once, and what they do is known all the same: a datatype and a communicator that are freed
// come again as others, and what a function that MPI calls back from such a call does is the program's own.
// run: -n 2
// filter: -comm_dup,-comm_split,-comm_free,-type_contiguous,-type_commit,-type_free,-reduce_local,-barrier
// also: MPI_Op_create MPI_Op_free
// expect: calls MPI_Send = 2 * 40
// expect: sent MPI_Send rank 0 = 20 * 3 * 4 + 20 * 5 * 4
// expect: received MPI_Irecv rank 1 = 20 * 3 * 4 + 20 * 5 * 4
// expect: messages MPI_Send 0 -> 1 = 20
// expect: messages MPI_Send 0 -> 0 = 20
// expect: calls MPI_Irecv = 2 * 40
// expect: calls MPI_Wait = 2 * 40
// expect: calls MPI_Sendrecv = 2 * 10
// expect: nested MPI_Sendrecv = 0
#include <mpi.h>
#include <stdio.h>

static int wrong, rank;

// As many ints to a rank as the datatype has, and as many back.
static void exchange(MPI_Comm comm, int other, int ints)
{
    int out[8] = {rank}, in[8] = {-1};
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_contiguous(ints, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(in, 1, type, other, 0, comm, &request);
    MPI_Send(out, 1, type, other, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    wrong += in[0] < 0;
}

static void add(void *in, void *out, int *count, MPI_Datatype *type)
{
    int got = -1;
    MPI_Sendrecv(in, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    wrong += got != *(int *)in;
    *(int *)out += got;
}

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        MPI_Comm both, alone;
        MPI_Comm_dup(MPI_COMM_WORLD, &both);
        exchange(both, 1 - rank, 3);
        MPI_Barrier(both);
        MPI_Comm_free(&both);
        MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
        exchange(alone, 0, 5);
        MPI_Comm_free(&alone);
    }
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 10; i++) {
        int sum = 1;
        MPI_Reduce_local(&i, &sum, 1, MPI_INT, op);
        wrong += sum != i + 1;
    }
    MPI_Op_free(&op);
    if (wrong)
        printf("wrong: %d\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
