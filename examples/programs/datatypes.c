// Makes a datatype, sends one element of it and frees it, again and again: handles come again for datatypes of other
// sizes. Vectors with holes, structures and resized types count by what they hold.
// run: -n 2
// also: MPI_Type_contiguous MPI_Type_vector MPI_Type_create_struct MPI_Type_create_resized MPI_Type_commit MPI_Type_free
// also: MPI_Barrier
// expect: calls MPI_Send rank 0 = 20 * 10 + 3
// expect: sent MPI_Send rank 0 = 20 * 4 + 20 * 8 + 20 * 12 + 20 * 16 + 20 * 20 + 20 * 24 + 20 * 28 + 20 * 32 + 20 * 36 + 20 * 40 + 3 * 2 * 4 + 2 * 12 + 5 * 12
// expect: calls MPI_Recv rank 1 = 20 * 10 + 3
// expect: received MPI_Recv rank 1 = 20 * 4 + 20 * 8 + 20 * 12 + 20 * 16 + 20 * 20 + 20 * 24 + 20 * 28 + 20 * 32 + 20 * 36 + 20 * 40 + 3 * 2 * 4 + 2 * 12 + 5 * 12
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct pair {
    double d;
    int i;
};

static struct pair data[100];

static void transfer(int rank, int count, MPI_Datatype type)
{
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(data, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    int rank, lengths[] = {1, 1};
    MPI_Aint places[] = {offsetof(struct pair, d), offsetof(struct pair, i)};
    MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT}, type, wide;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 20; round++)
        for (int ints = 1; ints <= 10; ints++) {
            MPI_Type_contiguous(ints, MPI_INT, &type);
            transfer(rank, 1, type);
        }
    MPI_Type_vector(3, 2, 5, MPI_INT, &type);
    transfer(rank, 1, type);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    transfer(rank, 2, type);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct pair), &wide);
    transfer(rank, 5, wide);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
