// Rank 0 receives from whoever sends, whatever the tag, and learns only then who it was: rank 1 after 60 ms, rank 2
// after 120 ms. It waits for each in an MPI_Recv of its own, and in the MPI_Wait of a receive begun before.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Recv rank 0 = 2 * 3
// expect: calls MPI_Irecv rank 0 = 2 * 3
// expect: calls MPI_Wait rank 0 = 2 * 3
// expect: calls MPI_Send = 4 * 3
// expect: wait late_sender rank 0 = 3 * 0.06 at MPI_Recv // receives one <- rank 1 MPI_Send // sends
// expect: wait late_sender rank 0 = 3 * 0.06 at MPI_Recv // receives two <- rank 2 MPI_Send // sends
// expect: wait late_sender rank 0 = 3 * 0.06 at MPI_Wait // completes one <- rank 1 MPI_Send // sends again
// expect: wait late_sender rank 0 = 3 * 0.06 at MPI_Wait // completes two <- rank 2 MPI_Send // sends again
#include "planted.h"

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, data[2] = {0};
    MPI_Request requests[2];
    MPI_Status one, two;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 0) {
            note("receives one");
            MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &one); // receives one
            note("receives two");
            MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &two); // receives two
            wrong += one.MPI_SOURCE != 1 || two.MPI_SOURCE != 2 || two.MPI_TAG != round;
        } else {
            be_late(0.06 * rank);
            note("sends");
            MPI_Send(data, 1, MPI_INT, 0, round, MPI_COMM_WORLD); // sends
        }
        start_together();
        if (rank == 0) {
            for (int i = 0; i < 2; i++)
                MPI_Irecv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
            note("completes one");
            MPI_Wait(&requests[0], &one); // completes one
            note("completes two");
            MPI_Wait(&requests[1], &two); // completes two
            wrong += one.MPI_SOURCE != 1 || two.MPI_SOURCE != 2 || two.MPI_TAG != round;
        } else {
            be_late(0.06 * rank);
            note("sends again");
            MPI_Send(data, 1, MPI_INT, 0, round, MPI_COMM_WORLD); // sends again
        }
    }
    gather_notes();
    tell("late_sender", 0, "receives one", 1, "sends");
    tell("late_sender", 0, "receives two", 2, "sends");
    tell("late_sender", 0, "completes one", 1, "sends again");
    tell("late_sender", 0, "completes two", 2, "sends again");
    if (wrong)
        printf("wrong: %d rounds\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
