// Sends a message in partitions, several times. What is stated of MPI_Psend_init and MPI_Precv_init moves at every start.
// run: -n 2
// needs: MPI_Psend_init
// expect: calls MPI_Psend_init rank 0 = 1
// expect: sent MPI_Psend_init rank 0 = 8 * 10 * 4
// expect: messages MPI_Psend_init 0 -> 1 = 1
// expect: calls MPI_Precv_init rank 1 = 1
// expect: received MPI_Precv_init rank 1 = 8 * 10 * 4
// expect: calls MPI_Start = 2 * 3
// expect: sent MPI_Start rank 0 = 3 * 8 * 10 * 4
// expect: received MPI_Start rank 1 = 3 * 8 * 10 * 4
// expect: calls MPI_Pready rank 0 = 3 * 4
// expect: calls MPI_Pready_range rank 0 = 3
// expect: calls MPI_Wait = 2 * 3
// expect: calls MPI_Request_free = 2
#include <mpi.h>
#include <stdio.h>

enum { PARTITIONS = 8, EACH = 10, ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, provided, wrong = 0, data[PARTITIONS * EACH] = {0};
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, EACH, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTITIONS, EACH, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; rank == 0 && i < PARTITIONS * EACH; i++)
            data[i] = 100 * round + i;
        MPI_Start(&request);
        if (rank == 0) {
            for (int partition = 0; partition < 4; partition++)
                MPI_Pready(partition, request);
            MPI_Pready_range(4, PARTITIONS - 1, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += data[PARTITIONS * EACH - 1] != 100 * round + PARTITIONS * EACH - 1;
    }
    MPI_Request_free(&request);
    if (rank == 0)
        puts(wrong ? "wrong" : "ok");
    MPI_Finalize();
    return wrong;
}
