// Passes messages round a ring with MPI_Send, MPI_Ssend and MPI_Bsend. The last receive of each rank takes what comes,
// from anybody and with any tag, into a buffer larger than the message; it names no rank.
// run: -n 4
// also: MPI_Buffer_attach MPI_Buffer_detach MPI_Reduce
// expect: calls MPI_Send = 4 * 10
// expect: calls MPI_Send rank 0 = 10
// expect: sent MPI_Send rank 0 = 10 * 100 * 4
// expect: sent MPI_Send rank 3 = 10 * 100 * 4
// expect: received MPI_Send rank 0 = 0
// expect: messages MPI_Send 0 -> 1 = 10
// expect: messages MPI_Send 3 -> 0 = 10
// expect: messages MPI_Send 0 -> 2 = 0
// expect: calls MPI_Ssend = 4 * 3
// expect: sent MPI_Ssend rank 1 = 3 * 7 * 8
// expect: messages MPI_Ssend 1 -> 2 = 3
// expect: calls MPI_Bsend = 4
// expect: sent MPI_Bsend rank 0 = 50
// expect: sent MPI_Bsend rank 1 = 2 * 50
// expect: sent MPI_Bsend rank 2 = 3 * 50
// expect: sent MPI_Bsend rank 3 = 4 * 50
// expect: messages MPI_Bsend 2 -> 3 = 1
// expect: calls MPI_Recv = 4 * 10 + 4 * 3 + 4
// expect: sent MPI_Recv rank 0 = 0
// expect: received MPI_Recv rank 0 = 10 * 100 * 4 + 3 * 7 * 8 + 4 * 50
// expect: received MPI_Recv rank 1 = 10 * 100 * 4 + 3 * 7 * 8 + 50
// expect: received MPI_Recv rank 2 = 10 * 100 * 4 + 3 * 7 * 8 + 2 * 50
// expect: received MPI_Recv rank 3 = 10 * 100 * 4 + 3 * 7 * 8 + 3 * 50
// expect: messages MPI_Recv 0 -> 3 = 10 + 3
// expect: messages MPI_Recv 1 -> 0 = 10 + 3
// expect: messages MPI_Recv 2 -> 3 = 0
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { INTS = 100, DOUBLES = 7, LETTERS = 50, ROOM = 1000 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all = 0, count;
    int values[INTS] = {0};
    double numbers[DOUBLES] = {0};
    char letters[ROOM] = {0}, text[ROOM] = {0};
    static char attached[ROOM + MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int round = 0; round < 10; round++) {
        if (rank == 0)
            MPI_Send(values, INTS, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Recv(values, INTS, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        values[INTS - 1]++;
        if (rank != 0)
            MPI_Send(values, INTS, MPI_INT, right, round, MPI_COMM_WORLD);
    }
    // Every message has passed the ranks before this one in this round and all of them in the rounds before.
    wrong += values[INTS - 1] != (rank == 0 ? 10 * size : 9 * size + rank);
    for (int round = 0; round < 3; round++) {
        if (rank == 0)
            MPI_Ssend(numbers, DOUBLES, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
        MPI_Recv(numbers, DOUBLES, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &status);
        wrong += status.MPI_SOURCE != left || status.MPI_TAG != 5;
        if (rank != 0)
            MPI_Ssend(numbers, DOUBLES, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
    }
    MPI_Buffer_attach(attached, sizeof attached);
    memset(letters, 'a' + rank, sizeof letters);
    MPI_Bsend(letters, LETTERS * (rank + 1), MPI_CHAR, right, 10 + rank, MPI_COMM_WORLD);
    MPI_Recv(text, ROOM, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    wrong += status.MPI_SOURCE != left || status.MPI_TAG != 10 + left || count != LETTERS * (left + 1);
    wrong += text[count - 1] != 'a' + left || text[count] != 0;
    MPI_Buffer_detach(&detached, &count);
    wrong += detached != attached;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
