// Ranks 0 and 2 put a number each into the window of rank 1, which opens it 100 ms late: they wait in MPI_Win_start. Then rank 2
// completes 100 ms late: rank 1 waits in MPI_Win_wait. The group is made and freed within every epoch, as it may be.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Win_create MPI_Win_free MPI_Comm_group MPI_Group_incl MPI_Group_free
// expect: calls MPI_Win_start = 2 * 6
// expect: calls MPI_Put = 2 * 6
// expect: sent MPI_Put = 2 * 6 * 4
// expect: calls MPI_Win_complete = 2 * 6
// expect: calls MPI_Win_post rank 1 = 6
// expect: calls MPI_Win_wait rank 1 = 6
// expect: wait late_post rank 0 = 3 * 0.1 at MPI_Win_start // starts <- rank 1 MPI_Win_post // posts
// expect: wait late_post rank 2 = 3 * 0.1 at MPI_Win_start // starts <- rank 1 MPI_Win_post // posts
// expect: wait early_wait rank 1 = 3 * 0.1 at MPI_Win_wait // waits <- rank 2 MPI_Win_complete // completes
// expect: wait elsewhere < 0.03
#include "planted.h"

enum { ROUNDS = 6, TARGET = 1, LAST = 2 };

// Under MPICH 4.0.2, what is put into a window this small does not arrive unless it is aligned.
static int shared[3] __attribute__((aligned(64))) = {-1, -1, -1};

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    const int target = TARGET, origins[] = {0, LAST};
    MPI_Win window;
    MPI_Group world, others;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    start_together();
    MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int round = 0; round < ROUNDS; round++) {
        int late_post = round % 2 == 0;
        start_together();
        if (rank == TARGET) {
            MPI_Group_incl(world, 2, origins, &others);
            if (late_post)
                be_late(0.1);
            note("posts");
            MPI_Win_post(others, 0, window); // posts
            MPI_Group_free(&others);
            note("waits");
            MPI_Win_wait(window); // waits
            wrong += shared[0] != round || shared[LAST] != round;
        } else {
            MPI_Group_incl(world, 1, &target, &others);
            note("starts");
            MPI_Win_start(others, 0, window); // starts
            MPI_Group_free(&others);
            MPI_Put(&round, 1, MPI_INT, TARGET, rank, 1, MPI_INT, window);
            if (rank == LAST && !late_post)
                be_late(0.1);
            note("completes");
            MPI_Win_complete(window); // completes
        }
    }
    start_together();
    MPI_Win_free(&window);
    MPI_Group_free(&world);
    gather_notes();
    tell("late_post", 0, "starts", TARGET, "posts");
    tell("late_post", LAST, "starts", TARGET, "posts");
    tell("early_wait", TARGET, "waits", LAST, "completes");
    if (wrong)
        printf("wrong: %d numbers on rank %d\n", wrong, rank);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
