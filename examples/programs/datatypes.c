// Makes a datatype, sends one element of it and frees it, again and again: handles come again for datatypes of other
// sizes. Vectors with holes, structures and resized types count by what they hold, and a datatype may be freed, and its
// handle be another's, while a message of it is on its way.
// run: -n 2
// also: MPI_Reduce
// expect: calls MPI_Type_contiguous = 2 * 20 * 10 + 2 * 20 * 2
// expect: calls MPI_Type_vector = 2
// expect: calls MPI_Type_create_struct = 2 * 2
// expect: calls MPI_Type_create_resized = 2
// expect: calls MPI_Type_commit = 2 * 20 * 10 + 2 * 3 + 2 * 20 * 2
// expect: calls MPI_Type_free = 2 * 20 * 10 + 2 * 4 + 2 * 20 * 2
// expect: calls MPI_Send rank 0 = 20 * 10 + 3
// expect: sent MPI_Send rank 0 = 20 * 55 * 4 + 3 * 2 * 4 + 2 * 12 + 5 * 12
// expect: calls MPI_Recv rank 1 = 20 * 10 + 3
// expect: received MPI_Recv rank 1 = 20 * 55 * 4 + 3 * 2 * 4 + 2 * 12 + 5 * 12
// expect: calls MPI_Irecv = 2 * 20
// expect: received MPI_Irecv rank 0 = 20 * 2 * 7 * 4
// expect: received MPI_Irecv rank 1 = 20 * 2 * 7 * 4
// expect: messages MPI_Irecv 0 -> 1 = 20
// expect: calls MPI_Isend = 2 * 20
// expect: sent MPI_Isend rank 1 = 20 * 2 * 7 * 4
// expect: calls MPI_Waitall = 2 * 20
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct pair {
    double d;
    int i;
};

enum { INTS = 400 };

static union {
    int ints[INTS];
    struct pair pairs[INTS / 4];
} data;
static int rank, wrong;

// Sends a datatype that the ints of the data up to `last` are in, and frees it.
static void transfer(int count, MPI_Datatype type, int last)
{
    MPI_Type_commit(&type);
    for (int i = 0; i < INTS; i++)
        data.ints[i] = rank == 0 ? last + i : 0;
    if (rank == 0)
        MPI_Send(&data, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&data, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += data.ints[0] != last || data.ints[last] != 2 * last;
    wrong += rank == 1 && data.ints[last + 1] != 0;
    MPI_Type_free(&type);
}

// Two elements of a datatype to and from the other rank; before they have come, the datatype is freed and others made.
static void transfer_and_forget(int ints)
{
    int out[INTS], in[INTS] = {0};
    MPI_Datatype type, next;
    MPI_Request requests[2];
    for (int i = 0; i < INTS; i++)
        out[i] = 1000 * rank + i;
    MPI_Type_contiguous(ints, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(in, 4, type, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 2, type, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    MPI_Type_contiguous(3 * ints, MPI_INT, &next);
    MPI_Type_commit(&next);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&next);
    wrong += in[2 * ints - 1] != 1000 * (1 - rank) + 2 * ints - 1 || in[2 * ints] != 0;
}

int main(int argc, char **argv)
{
    int all = 0, lengths[] = {1, 1};
    MPI_Aint places[] = {offsetof(struct pair, d), offsetof(struct pair, i)};
    MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT}, type, wide;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 20; round++)
        for (int ints = 1; ints <= 10; ints++) {
            MPI_Type_contiguous(ints, MPI_INT, &type);
            transfer(1, type, ints - 1);
        }
    MPI_Type_vector(3, 2, 5, MPI_INT, &type);
    transfer(1, type, 11);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    transfer(2, type, 6);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct pair), &wide);
    transfer(5, wide, 18);
    MPI_Type_free(&type);
    for (int round = 0; round < 20; round++)
        transfer_and_forget(7);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
