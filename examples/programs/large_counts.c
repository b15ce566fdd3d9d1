// The forms of functions that take large counts are functions of their own.
// run: -n 2
// needs: MPI_Send_c
// also: MPI_Reduce
// expect: calls MPI_Send_c = 5
// expect: sent MPI_Send_c rank 0 = 5 * 8 * 4
// expect: messages MPI_Send_c 0 -> 1 = 5
// expect: calls MPI_Recv_c = 5
// expect: received MPI_Recv_c rank 1 = 5 * 8 * 4
// expect: messages MPI_Recv_c 1 -> 0 = 5
// expect: calls MPI_Bcast_c = 2
// expect: sent MPI_Bcast_c rank 0 = 16 * 4
// expect: received MPI_Bcast_c rank 1 = 16 * 4
// expect: calls MPI_Allreduce_c = 2
// expect: sent MPI_Allreduce_c rank 1 = 3 * 4
// expect: received MPI_Allreduce_c rank 0 = 3 * 4
// expect: calls MPI_Alltoallv_c = 2
// expect: sent MPI_Alltoallv_c rank 0 = 1 * 4 + 2 * 4
// expect: received MPI_Alltoallv_c rank 0 = 1 * 4 + 3 * 4
// expect: sent MPI_Alltoallv_c rank 1 = 3 * 4 + 4 * 4
// expect: received MPI_Alltoallv_c rank 1 = 2 * 4 + 4 * 4
// expect: calls MPI_Isend_c = 2
// expect: sent MPI_Isend_c rank 1 = 7 * 4
// expect: calls MPI_Irecv_c = 2
// expect: received MPI_Irecv_c rank 1 = 7 * 4
// expect: calls MPI_Waitall = 2
// expect: calls MPI_Type_contiguous_c = 2
// expect: calls MPI_Type_commit = 2
// expect: calls MPI_Type_free = 2
// expect: calls MPI_Sendrecv_c = 2
// expect: sent MPI_Sendrecv_c rank 0 = 2 * 20
// expect: received MPI_Sendrecv_c rank 1 = 2 * 20
#include <mpi.h>
#include <stdio.h>

static int rank, wrong, in[20];

// So many numbers came to a place, in order.
static void look(int at, int first, int count)
{
    for (int i = 0; i < count; i++)
        wrong += in[at + i] != first + i;
}

int main(int argc, char **argv)
{
    int out[20], all = 0;
    MPI_Datatype five;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    for (int i = 0; i < 20; i++)
        out[i] = in[i] = 100 * rank + i;
    for (int i = 0; i < 5; i++)
        if (rank == 0)
            MPI_Send_c(out, 8, MPI_INT, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv_c(in, 20, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    look(0, 0, 8);
    MPI_Bcast_c(in, 16, MPI_INT, 0, MPI_COMM_WORLD);
    look(0, 0, 16);
    MPI_Allreduce_c(out, in, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    look(0, 100, 3);
    // Rank 0 keeps 1 and sends 2, rank 1 sends 3 and keeps 4.
    MPI_Count sent[] = {rank ? 3 : 1, rank ? 4 : 2}, received[] = {rank ? 2 : 1, rank ? 4 : 3};
    MPI_Aint places[] = {0, 10};
    MPI_Alltoallv_c(out, sent, places, MPI_INT, in, received, places, MPI_INT, MPI_COMM_WORLD);
    look(0, 10 * rank, received[0]);
    look(10, 100 + 10 * rank, received[1]);
    MPI_Irecv_c(in, 20, MPI_INT, other, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 7, MPI_INT, other, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    look(0, 100 * other, 7);
    MPI_Type_contiguous_c(5, MPI_INT, &five);
    MPI_Type_commit(&five);
    MPI_Sendrecv_c(out, 2, five, other, 3, in, 4, five, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&five);
    look(0, 100 * other, 10);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
