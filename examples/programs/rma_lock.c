// Rank 1 locks its own window exclusively, and keeps it locked for 100 ms. Rank 0 comes 20 ms after it, for an exclusive lock
// and for a shared one by turns, and waits in MPI_Win_lock, as under all libraries seen so far.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Win_create MPI_Win_free
// expect: calls MPI_Win_lock rank 0 = 4
// expect: calls MPI_Win_lock rank 1 = 4
// expect: calls MPI_Get rank 0 = 4
// expect: received MPI_Get rank 0 = 4 * 4
// expect: calls MPI_Win_unlock rank 0 = 4
// expect: calls MPI_Win_unlock rank 1 = 4
// expect: wait lock_contention rank 0 = 4 * 0.08 at MPI_Win_lock // locks <- rank 1 MPI_Win_unlock // gives back
#include "planted.h"

enum { ROUNDS = 4 };

static int shared __attribute__((aligned(64))) = -1;

int main(int argc, char **argv)
{
    int rank, number = -1, wrong = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_together();
    MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
            be_late(0.1);
            shared = round;
            note("gives back");
            MPI_Win_unlock(1, window); // gives back
        } else {
            int kind = round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
            be_late(0.02);
            note("locks");
            MPI_Win_lock(kind, 1, 0, window); // locks
            MPI_Get(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
            MPI_Win_unlock(1, window);
            wrong += number != round;
        }
    }
    start_together();
    MPI_Win_free(&window);
    gather_notes();
    tell("lock_contention", 0, "locks", 1, "gives back");
    if (wrong)
        printf("wrong: %d numbers on rank %d\n", wrong, rank);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
