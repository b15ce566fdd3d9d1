// Sends to the right and receives from the left with every form of nonblocking send, completed in every way: one by
// one, all, any, some, by testing, by asking first. The receives have room for more than what arrives, and some
// name no rank.
// run: -n 4
// also: MPI_Waitsome MPI_Test MPI_Testany MPI_Testsome MPI_Request_get_status
// also: MPI_Barrier MPI_Buffer_attach MPI_Buffer_detach MPI_Reduce
// expect: calls MPI_Isend = 4 * 1 + 4 * 5 * 3 + 4
// expect: sent MPI_Isend rank 0 = 100 * 4 + 5 * 6 * 4 + 100 * 4
// expect: sent MPI_Isend rank 3 = 100 * 4 + 5 * 6 * 4 + 100 * 4
// expect: messages MPI_Isend 0 -> 1 = 1 + 5 * 3 + 1
// expect: messages MPI_Isend 0 -> 3 = 0
// expect: calls MPI_Issend = 4
// expect: sent MPI_Issend rank 1 = 100 * 4
// expect: messages MPI_Issend 1 -> 2 = 1
// expect: calls MPI_Ibsend = 4
// expect: sent MPI_Ibsend rank 2 = 100 * 4
// expect: calls MPI_Irsend = 4
// expect: sent MPI_Irsend rank 3 = 100 * 4
// expect: calls MPI_Irecv = 4 * 4 + 4 * 5 * 3 + 4
// expect: sent MPI_Irecv rank 0 = 0
// expect: received MPI_Irecv rank 0 = 4 * 100 * 4 + 5 * 6 * 4 + 100 * 4
// expect: received MPI_Irecv rank 3 = 4 * 100 * 4 + 5 * 6 * 4 + 100 * 4
// expect: messages MPI_Irecv 0 -> 3 = 4 + 5 * 2 + 1
// expect: messages MPI_Irecv 0 -> 1 = 0
// expect: calls MPI_Wait = 4 * 2 + 4
// expect: received MPI_Wait rank 0 = 0
// expect: calls MPI_Waitall = 4 * 3 + 4 * 5
// expect: received MPI_Waitall rank 0 = 0
// expect: calls MPI_Waitany = 4 * 3 + 4
// expect: calls MPI_Testall = 4
// expect: calls MPI_Request_free = 4
#include <mpi.h>
#include <stdio.h>

enum { INTS = 100, ROOM = 200, THREE = 3 };

static int rank, left, right, wrong, sent[INTS], received[ROOM], several[THREE][ROOM];

static void receive(MPI_Request *request)
{
    received[INTS - 1] = received[INTS] = -1;
    MPI_Irecv(received, ROOM, MPI_INT, left, 0, MPI_COMM_WORLD, request);
}

static void check(void)
{
    wrong += received[INTS - 1] != left || received[INTS] != -1;
}

static void three(MPI_Request *receives, MPI_Request *sends)
{
    for (int i = 0; i < THREE; i++) {
        several[i][i] = -1;
        MPI_Irecv(several[i], ROOM, MPI_INT, i == 1 ? MPI_ANY_SOURCE : left, i, MPI_COMM_WORLD, &receives[i]);
    }
    for (int i = 0; i < THREE; i++)
        MPI_Isend(sent, i + 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
}

static void finish_three(MPI_Request *sends)
{
    MPI_Waitall(THREE, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < THREE; i++)
        wrong += several[i][i] != left;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int size, all = 0, index, flag, count, done, indices[THREE];
    static char attached[INTS * sizeof(int) + MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Request both[2], receives[THREE], sends[THREE];
    MPI_Status status, statuses[THREE];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < INTS; i++)
        sent[i] = rank;

    receive(&both[0]);
    MPI_Isend(sent, INTS, MPI_INT, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Wait(&both[0], &status);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT, &count);
    wrong += status.MPI_SOURCE != left || count != INTS;
    check();

    receive(&both[0]);
    MPI_Issend(sent, INTS, MPI_INT, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, statuses);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    wrong += statuses[0].MPI_SOURCE != left || count != INTS;
    check();

    MPI_Buffer_attach(attached, sizeof attached);
    receive(&both[0]);
    MPI_Ibsend(sent, INTS, MPI_INT, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&detached, &count);
    check();

    receive(&both[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(sent, INTS, MPI_INT, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE);
    wrong += !flag;
    check();

    three(receives, sends);
    for (int i = 0; i <= THREE; i++)
        MPI_Waitany(THREE, receives, &index, i ? MPI_STATUS_IGNORE : &status);
    wrong += index != MPI_UNDEFINED;
    finish_three(sends);

    three(receives, sends);
    for (done = 0; done < THREE; done += count)
        MPI_Waitsome(THREE, receives, &count, indices, statuses);
    finish_three(sends);

    three(receives, sends);
    for (done = 0; done < THREE; done += count)
        MPI_Testsome(THREE, receives, &count, indices, MPI_STATUSES_IGNORE);
    finish_three(sends);

    three(receives, sends);
    for (done = 0; done < THREE; done += flag)
        MPI_Testany(THREE, receives, &index, &flag, MPI_STATUS_IGNORE);
    finish_three(sends);

    three(receives, sends);
    for (done = 0; done < THREE; done += flag)
        MPI_Test(&receives[done], &flag, &status);
    finish_three(sends);

    receive(&both[0]);
    MPI_Isend(sent, INTS, MPI_INT, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Request_free(&both[1]);
    do
        MPI_Request_get_status(both[0], &flag, MPI_STATUS_IGNORE);
    while (!flag);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    check();

    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
