// Sends one element, or three, of a datatype of each constructor: in how many pieces it lies follows from the arguments. Pieces
// that touch are one.
// run: -n 2
// also: MPI_Start MPI_Wait MPI_Request_free MPI_Type_commit MPI_Type_free MPI_Type_contiguous MPI_Type_vector MPI_Type_indexed
// also: MPI_Type_create_hvector MPI_Type_create_hindexed MPI_Type_create_hindexed_block MPI_Type_create_indexed_block
// also: MPI_Type_create_struct MPI_Type_create_subarray MPI_Type_create_resized MPI_Type_dup
// expect: calls MPI_Send rank 0 = 18
// expect: pieces MPI_Send rank 0 = 3 * 5 + 3 * 5 + 2 + 13 + 3 + 3 + 4 + 4 + 5 + 9 + 6 + 12 + 2 + 8
// expect: pieces MPI_Recv rank 1 = 3 * 5 + 3 * 5 + 2 + 13 + 3 + 3 + 4 + 4 + 5 + 9 + 6 + 12 + 2 + 8
// expect: pieces MPI_Recv rank 0 = 0
// expect: pieces MPI_Alltoallw = 2 * 2 * 5 + 2 * 2 * 5
// expect: pieces MPI_Send_init rank 0 = 7
// expect: pieces MPI_Recv_init rank 1 = 7
// expect: pieces MPI_Gather rank 0 = 5 + 2 * 5
// expect: pieces MPI_Gather rank 1 = 5
#include <mpi.h>
#include <stdio.h>

enum { BYTES = 1 << 16 };

struct odd {
    int i;
    double d;
};

static char data[BYTES], other[BYTES];
static int rank;

static void send(int count, MPI_Datatype type)
{
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(data, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

// The datatypes that lie in one piece.
static void send_contiguous(void)
{
    MPI_Datatype type, inner;
    MPI_Type_contiguous(10, MPI_INT, &type);
    send(3, type);
    MPI_Type_vector(10, 4, 4, MPI_INT, &type);
    send(3, type);
    int lengths[3] = {2, 1, 3}, places[3] = {0, 2, 3};
    MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &type);
    send(3, type);
    MPI_Type_contiguous(4, MPI_INT, &inner);
    MPI_Type_create_hvector(5, 1, 16, inner, &type);
    MPI_Type_free(&inner);
    send(1, type);
}

static void send_vectors(void)
{
    MPI_Datatype type, inner;
    MPI_Type_vector(5, 1, 2, MPI_INT, &type); // without a gap behind the last number
    MPI_Type_create_resized(type, 0, 40, &inner);
    MPI_Type_free(&type);
    send(3, inner);
    MPI_Type_create_hvector(5, 2, 100, MPI_INT, &type);
    MPI_Type_dup(type, &inner);
    MPI_Type_free(&type);
    MPI_Type_create_resized(inner, 0, 600, &type);
    MPI_Type_free(&inner);
    send(3, type);
    MPI_Type_vector(2, 3, 5, MPI_DOUBLE, &type);
    send(1, type);
    MPI_Type_vector(5, 1, 2, MPI_INT, &type); // the last number of each touches the first of the next
    send(3, type);
}

static void send_lists(void)
{
    MPI_Datatype type, inner;
    int lengths[4] = {1, 2, 1, 3}, places[4] = {0, 4, 6, 9};
    MPI_Aint bytes[4] = {0, 32, 100, 200};
    MPI_Type_indexed(4, lengths, places, MPI_INT, &type); // the second and the third touch
    send(1, type);
    MPI_Type_create_indexed_block(4, 2, places, MPI_INT, &type);
    send(1, type);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &type);
    send(1, type);
    MPI_Type_create_hindexed_block(4, 2, bytes, MPI_INT, &type);
    send(1, type);
    int ones[3] = {2, 1, 3};
    MPI_Aint at[3] = {0, 8, 64};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_SHORT_INT};
    MPI_Type_create_struct(3, ones, at, types, &type); // the ints touch the double; each pair is a piece, a gap and a piece
    MPI_Type_create_resized(type, 0, 128, &inner);
    MPI_Type_free(&type);
    send(1, inner);
    int once[2] = {1, 1};
    MPI_Aint of_odd[2] = {0, sizeof(double)};
    MPI_Datatype of[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, once, of_odd, of, &type); // the double touches the next int
    send(8, type);
}

static void send_boxes(void)
{
    MPI_Datatype type, inner;
    int sizes[3] = {4, 5, 6}, box[3] = {2, 3, 4}, at[3] = {1, 1, 1}, planes[3] = {2, 5, 6}, first[3] = {1, 0, 0};
    MPI_Type_create_subarray(3, sizes, box, at, MPI_ORDER_C, MPI_DOUBLE, &type);
    send(1, type);
    MPI_Type_create_subarray(3, sizes, box, at, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    send(1, type);
    MPI_Type_create_subarray(3, sizes, planes, first, MPI_ORDER_C, MPI_DOUBLE, &type); // whole planes
    send(2, type);
    MPI_Type_vector(4, 1, 3, MPI_INT, &inner);
    MPI_Type_create_hvector(2, 1, 1000, inner, &type);
    MPI_Type_free(&inner);
    send(1, type);
}

static void all_to_all(void)
{
    MPI_Datatype column;
    MPI_Type_vector(5, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    int ones[2] = {1, 1}, at[2] = {0, 4096};
    MPI_Datatype out[2] = {column, column}, in[2] = {column, column};
    MPI_Alltoallw(data, ones, at, out, other, ones, at, in, MPI_COMM_WORLD);
    MPI_Datatype lines;
    MPI_Type_create_resized(column, 0, 100, &lines);
    MPI_Type_commit(&lines);
    MPI_Gather(data, 1, lines, other, 1, lines, 0, MPI_COMM_WORLD);
    MPI_Type_free(&lines);
    MPI_Type_free(&column);
}

static void start_again(void)
{
    MPI_Datatype row;
    MPI_Request request;
    MPI_Type_vector(7, 1, 3, MPI_INT, &row);
    MPI_Type_commit(&row);
    if (rank == 0)
        MPI_Send_init(data, 1, row, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(data, 1, row, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Type_free(&row);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    send_contiguous();
    send_vectors();
    send_lists();
    send_boxes();
    all_to_all();
    start_again();
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
