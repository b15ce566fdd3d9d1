// Looks at messages before it receives them: by Probe and Iprobe, and by Mprobe and Improbe, whose messages are
// received by what was found. Who and how much is known only then.
// run: -n 2
// also: MPI_Barrier MPI_Reduce
// expect: calls MPI_Send rank 0 = 3 * 10 + 1
// expect: sent MPI_Send rank 0 = 3 * 55 * 4 + 4
// expect: calls MPI_Probe rank 1 = 10 + 1
// expect: received MPI_Probe = 0
// expect: messages MPI_Probe 1 -> 0 = 10 + 1
// expect: calls MPI_Recv rank 1 = 10 + 1
// expect: received MPI_Recv rank 1 = 55 * 4 + 4
// expect: messages MPI_Recv 1 -> 0 = 10 + 1
// expect: calls MPI_Mprobe rank 1 = 2 * 10
// expect: received MPI_Mprobe = 0
// expect: calls MPI_Mrecv rank 1 = 10
// expect: received MPI_Mrecv rank 1 = 55 * 4
// expect: messages MPI_Mrecv 1 -> 0 = 10
// expect: calls MPI_Imrecv rank 1 = 10
// expect: received MPI_Imrecv rank 1 = 55 * 4
// expect: messages MPI_Imrecv 1 -> 0 = 10
// expect: calls MPI_Wait rank 1 = 10
// expect: calls MPI_Iprobe rank 0 = 1
// expect: calls MPI_Iprobe rank 1 = 2
// expect: received MPI_Iprobe = 0
// expect: calls MPI_Improbe = 2
// expect: received MPI_Improbe = 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0, data[20] = {0}, count, found;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 10; i++) {
        if (rank == 0) {
            for (int tag = 0; tag < 3; tag++)
                MPI_Send(data, i, MPI_INT, 1, tag, MPI_COMM_WORLD);
            continue;
        }
        MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != i;
        MPI_Recv(data, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, 20, MPI_INT, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != i || message != MPI_MESSAGE_NULL;
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        wrong += status.MPI_TAG != 2;
        MPI_Imrecv(data, 20, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    wrong += found;
    MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    wrong += found;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(data, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
    else {
        MPI_Probe(0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 77, MPI_COMM_WORLD, &found, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += !found || count != 1;
        MPI_Recv(data, 20, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
