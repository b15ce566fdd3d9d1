// Rank 1 begins three receives of the same messages and cancels the first, or the second, before any is there: those
// that rank 0 sends go to the others. The first is sent 60 ms late, the next another 60 ms later, and then one that is
// there when it is received. Who pairs messages with cancelled receives finds other waits.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Irecv rank 1 = 3 * 6
// expect: calls MPI_Cancel rank 1 = 6
// expect: calls MPI_Wait rank 1 = 3 * 6
// expect: calls MPI_Recv rank 1 = 6
// expect: calls MPI_Send rank 0 = 3 * 6
// expect: wait late_sender rank 1 = 6 * 0.06 at MPI_Wait // completes one <- rank 0 MPI_Send // sends one
// expect: wait late_sender rank 1 = 6 * 0.06 at MPI_Wait // completes two <- rank 0 MPI_Send // sends two
#include "planted.h"

enum { ROUNDS = 6 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, data[3] = {0}, last;
    MPI_Request requests[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        int cancelled = round % 2, one = 1 - cancelled, out[] = {10 * round + 1, 10 * round + 2, 10 * round + 3};
        start_together();
        if (rank == 0) {
            be_late(0.06);
            note("sends one");
            MPI_Send(&out[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD); // sends one
            be_late(0.06);
            note("sends two");
            MPI_Send(&out[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD); // sends two
            MPI_Send(&out[2], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            for (int i = 0; i < 3; i++)
                MPI_Irecv(&data[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[i]);
            MPI_Cancel(&requests[cancelled]);
            MPI_Wait(&requests[cancelled], MPI_STATUS_IGNORE);
            note("completes one");
            MPI_Wait(&requests[one], MPI_STATUS_IGNORE); // completes one
            note("completes two");
            MPI_Wait(&requests[2], MPI_STATUS_IGNORE); // completes two
            be_late(0.002);
            MPI_Recv(&last, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += data[one] != out[0] || data[2] != out[1] || last != out[2];
        }
    }
    gather_notes();
    tell("late_sender", 1, "completes one", 0, "sends one");
    tell("late_sender", 1, "completes two", 0, "sends two");
    if (wrong)
        printf("wrong: %d rounds\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
