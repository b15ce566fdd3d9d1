// The program is built such that the MPI library's predefined handles, where they are addresses of data, are copied
// into the program when it is loaded, and live at addresses outside the library.
// run: -n 2
// cflags: -no-pie -fno-pic
// also: MPI_Comm_free
// expect: calls MPI_Send rank 0 = 3 * 10
// expect: sent MPI_Send rank 0 = 10 * 4 * 100 + 10 * 100 + 10 * 8 * 100
// expect: messages MPI_Send 0 -> 1 = 3 * 10
// expect: calls MPI_Recv rank 1 = 3 * 10
// expect: received MPI_Recv rank 1 = 10 * 4 * 100 + 10 * 100 + 10 * 8 * 100
// expect: calls MPI_Allreduce = 2 * 2
// expect: sent MPI_Allreduce rank 0 = 8 + 8
// expect: received MPI_Allreduce rank 1 = 8 + 8
// expect: calls MPI_Allgather = 2
// expect: sent MPI_Allgather rank 1 = 2
// expect: received MPI_Allgather rank 1 = 2 * 2
// expect: calls MPI_Comm_dup = 2
// expect: calls MPI_Bcast = 2
// expect: sent MPI_Bcast rank 0 = 3 * 4
// expect: received MPI_Bcast rank 1 = 3 * 4
// expect: calls MPI_Wait = 2
// expect: calls MPI_Reduce = 2
// expect: received MPI_Reduce rank 0 = 4
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int ints[100] = {0};
    char bytes[100] = {0};
    double doubles[100] = {0};
    for (int i = 0; i < 10; i++) {
        if (rank == 0) {
            ints[99] = bytes[99] = doubles[99] = i;
            MPI_Send(ints, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(bytes, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Send(doubles, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Status status;
            MPI_Recv(ints, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(bytes, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Recv(doubles, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += ints[99] != i || bytes[99] != i || doubles[99] != i || status.MPI_SOURCE != 0;
        }
    }
    double sum = 0.5, alone = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_SELF);
    short mine = rank, gathered[2];
    MPI_Allgather(&mine, 1, MPI_SHORT, gathered, 1, MPI_SHORT, MPI_COMM_WORLD);
    wrong += sum != 1 || alone != 1 || gathered[0] != 0 || gathered[1] != 1;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    float floats[3] = {rank, rank, rank};
    MPI_Bcast(floats, 3, MPI_FLOAT, 0, comm);
    wrong += floats[2] != 0;
    MPI_Comm_free(&comm);
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    wrong += comm != MPI_COMM_NULL || none != MPI_REQUEST_NULL;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d values\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
