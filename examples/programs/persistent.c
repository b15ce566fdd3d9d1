// Makes requests once and starts them many times, alone and together, round a ring. Requests are tested and waited for
// while inactive, and one is freed while active. What is stated of MPI_X_init is what moves at every start.
// run: -n 4
// also: MPI_Barrier MPI_Reduce
// expect: calls MPI_Send_init = 4
// expect: sent MPI_Send_init rank 0 = 10 * 8
// expect: messages MPI_Send_init 0 -> 1 = 1
// expect: calls MPI_Ssend_init = 4
// expect: sent MPI_Ssend_init rank 1 = 5 * 8
// expect: messages MPI_Ssend_init 1 -> 2 = 1
// expect: calls MPI_Rsend_init = 4
// expect: sent MPI_Rsend_init rank 2 = 3 * 8
// expect: calls MPI_Bsend_init = 4
// expect: sent MPI_Bsend_init rank 3 = 2 * 8
// expect: calls MPI_Recv_init = 4 * 3
// expect: sent MPI_Recv_init rank 0 = 0
// expect: received MPI_Recv_init rank 0 = 3 * 20 * 8
// expect: received MPI_Recv_init rank 3 = 3 * 20 * 8
// expect: messages MPI_Recv_init 0 -> 3 = 3
// expect: calls MPI_Startall = 4 * 6
// expect: sent MPI_Startall rank 0 = 6 * 10 * 8 + 6 * 5 * 8
// expect: received MPI_Startall rank 0 = 6 * 10 * 8 + 6 * 5 * 8
// expect: calls MPI_Start = 4 * 2 * 3 + 4
// expect: sent MPI_Start rank 0 = 3 * 3 * 8 + 2 * 8
// expect: received MPI_Start rank 0 = 3 * 3 * 8
// expect: calls MPI_Waitall = 4 * 6 + 4
// expect: received MPI_Waitall rank 0 = 0
// expect: calls MPI_Wait = 4 * 2 * 3
// expect: received MPI_Wait rank 0 = 0
// expect: calls MPI_Test = 4
// expect: calls MPI_Recv = 4
// expect: received MPI_Recv rank 0 = 2 * 8
// expect: calls MPI_Request_free = 4 * 6 + 4
// expect: calls MPI_Buffer_attach = 4
// expect: calls MPI_Buffer_detach = 4
#include <mpi.h>
#include <stdio.h>

enum { DOUBLES = 10, FEWER = 5, THREE = 3, TWO = 2, ROOM = 20 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all = 0, count, flag;
    double sent[DOUBLES] = {0}, received[THREE][ROOM] = {{0}};
    static char attached[TWO * sizeof(double) + MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Request requests[6], active;
    MPI_Status statuses[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < THREE; i++)
        MPI_Recv_init(received[i], ROOM, MPI_DOUBLE, left, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(sent, DOUBLES, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Ssend_init(sent, FEWER, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Rsend_init(sent, THREE, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    wrong += !flag;
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);

    for (int round = 0; round < 6; round++) {
        // Requests 0 and 3 are one exchange, 1 and 4 another; side by side they are started together.
        MPI_Request four[] = {requests[0], requests[1], requests[3], requests[4]};
        sent[FEWER - 1] = sent[DOUBLES - 1] = 10 * round + rank;
        MPI_Startall(4, four);
        MPI_Waitall(4, four, round % 2 ? statuses : MPI_STATUSES_IGNORE);
        wrong += received[0][DOUBLES - 1] != 10 * round + left || received[1][FEWER - 1] != 10 * round + left;
    }
    MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
    wrong += statuses[0].MPI_SOURCE != left || count != DOUBLES;

    for (int round = 0; round < 3; round++) {
        sent[THREE - 1] = 10 * round + rank;
        MPI_Start(&requests[2]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&requests[5]);
        MPI_Wait(&requests[5], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[2], &statuses[0]);
        MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
        wrong += count != THREE || received[2][THREE - 1] != 10 * round + left;
    }
    for (int i = 0; i < 6; i++)
        MPI_Request_free(&requests[i]);

    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend_init(sent, TWO, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &active);
    MPI_Start(&active);
    MPI_Request_free(&active);
    MPI_Recv(received[0], ROOM, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &count);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
