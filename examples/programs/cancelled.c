// Cancels receives that nobody sends to, and waits for them with and without a status: nothing has come.
// run: -n 2
// filter: -query,+test_cancelled
// also: MPI_Reduce
// expect: calls MPI_Irecv = 2 * 3 * 5
// expect: received MPI_Irecv rank 0 = 0
// expect: received MPI_Irecv rank 1 = 0
// expect: calls MPI_Cancel = 2 * 3 * 5
// expect: calls MPI_Wait = 2 * 2 * 5
// expect: calls MPI_Waitall = 2 * 5
// expect: calls MPI_Test_cancelled = 2 * 2 * 5
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
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
