// Cancels receives that nobody sends to, and waits for them with and without a status: nothing has come. One whose
// message has come already stays what it is.
// run: -n 2
// filter: -query,+test_cancelled
// also: MPI_Reduce
// expect: calls MPI_Irecv = 2 * 3 * 5 + 5
// expect: received MPI_Irecv rank 0 = 0
// expect: received MPI_Irecv rank 1 = 5 * 8 * 4
// expect: calls MPI_Cancel = 2 * 3 * 5 + 5
// expect: calls MPI_Wait = 2 * 2 * 5 + 5
// expect: calls MPI_Ssend = 5
// expect: sent MPI_Ssend rank 0 = 5 * 8 * 4
// expect: calls MPI_Barrier = 2 * 5
// expect: calls MPI_Waitall = 2 * 5
// expect: calls MPI_Test_cancelled = 2 * 2 * 5 + 5
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0, data[10] = {0}, cancelled;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        MPI_Irecv(data, 10, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += !cancelled;
        MPI_Irecv(data, 10, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 10, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Waitall(1, &request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += !cancelled;
        if (rank == 1)
            MPI_Irecv(data, 10, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
        else
            MPI_Ssend(data, 8, MPI_INT, 1, 8, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            wrong += cancelled;
        }
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
