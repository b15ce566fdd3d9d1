// Both ranks start a message in partitions at once. Rank 0 has three of the four ready then, and computes 100 ms for the
// last one; rank 1 waits for it in MPI_Wait.
// run: -n 2
// needs: MPI_Psend_init
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Psend_init rank 0 = 1
// expect: calls MPI_Precv_init rank 1 = 1
// expect: calls MPI_Start = 2 * 5
// expect: calls MPI_Pready rank 0 = 5
// expect: calls MPI_Pready_range rank 0 = 5
// expect: calls MPI_Wait = 2 * 5
// expect: calls MPI_Request_free = 2
// expect: wait late_sender rank 1 = 5 * 0.1 at MPI_Wait // completes <- rank 0 MPI_Pready // is ready
#include "planted.h"

enum { ROUNDS = 5, PARTITIONS = 4, EACH = 10 };

int main(int argc, char **argv)
{
    int rank, provided, wrong = 0, data[PARTITIONS * EACH] = {0};
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, EACH, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTITIONS, EACH, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        MPI_Start(&request);
        if (rank == 0) {
            MPI_Pready_range(0, PARTITIONS - 2, request);
            be_late(0.1);
            data[PARTITIONS * EACH - 1] = round;
            note("is ready");
            MPI_Pready(PARTITIONS - 1, request); // is ready
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            note("completes");
            MPI_Wait(&request, MPI_STATUS_IGNORE); // completes
            wrong += data[PARTITIONS * EACH - 1] != round;
        }
    }
    MPI_Request_free(&request);
    gather_notes();
    tell("late_sender", 1, "completes", 0, "is ready");
    if (wrong)
        printf("wrong: %d messages\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
