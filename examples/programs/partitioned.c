// Two ranks exchange messages in partitions, several times. What is stated of MPI_Psend_init and MPI_Precv_init moves
// at every start.
// run: -n 2
// needs: MPI_Psend_init
// also: MPI_Reduce
// expect: calls MPI_Psend_init = 2
// expect: sent MPI_Psend_init rank 0 = 8 * 10 * 4
// expect: received MPI_Psend_init rank 0 = 0
// expect: messages MPI_Psend_init 0 -> 1 = 1
// expect: calls MPI_Precv_init = 2
// expect: received MPI_Precv_init rank 1 = 8 * 10 * 4
// expect: sent MPI_Precv_init rank 1 = 0
// expect: messages MPI_Precv_init 1 -> 0 = 1
// expect: calls MPI_Start = 2 * 3 * 2
// expect: sent MPI_Start rank 0 = 3 * 8 * 10 * 4
// expect: received MPI_Start rank 1 = 3 * 8 * 10 * 4
// expect: calls MPI_Pready = 2 * 3 * 4
// expect: calls MPI_Pready_range = 2 * 3
// expect: calls MPI_Waitall = 2 * 3
// expect: calls MPI_Request_free = 2 * 2
#include <mpi.h>
#include <stdio.h>

enum { PARTITIONS = 8, EACH = 10, INTS = PARTITIONS * EACH, ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, provided, wrong = 0, all = 0, out[INTS], in[INTS] = {0};
    MPI_Request requests[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    MPI_Psend_init(out, PARTITIONS, EACH, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTITIONS, EACH, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < INTS; i++)
            out[i] = 10000 * rank + 1000 * round + i;
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        for (int partition = 0; partition < PARTITIONS / 2; partition++)
            MPI_Pready(partition, requests[0]);
        MPI_Pready_range(PARTITIONS / 2, PARTITIONS - 1, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < INTS; i++)
            wrong += in[i] != 10000 * other + 1000 * round + i;
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
