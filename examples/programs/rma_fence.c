// Each rank puts a number into the other's window, and a fence ends the epoch and begins the next. Rank 1
// comes to it 100 ms late.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Win_free
// expect: calls MPI_Win_create = 2
// expect: calls MPI_Put = 2 * 5
// expect: sent MPI_Put = 2 * 5 * 4
// expect: calls MPI_Win_fence = 2 + 2 * 5
// expect: wait wait_at_fence rank 0 = 5 * 0.1 at MPI_Win_fence // ends <- rank 1 MPI_Win_fence // ends
#include "planted.h"

enum { ROUNDS = 5 };

// Under MPICH 4.0.2, what is put into a window this small does not arrive unless it is aligned.
static int shared __attribute__((aligned(64))) = -1;

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_together();
    MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        MPI_Put(&round, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
        if (rank == 1)
            be_late(0.1);
        note("ends");
        MPI_Win_fence(0, window); // ends
        wrong += shared != round;
    }
    start_together();
    MPI_Win_free(&window);
    gather_notes();
    tell("wait_at_fence", 0, "ends", 1, "ends");
    if (wrong)
        printf("wrong: %d numbers on rank %d\n", wrong, rank);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
