// Two fibers wait in MPI at once: where MPI yields the processor, sched_yield hands over to the other. One receives what the
// other rank sends between reductions.
// run: -n 2
// set: OMPI_MCA_mpi_yield_when_idle=1
// expect: calls MPI_Recv = 2 * 200 + 1
// expect: received MPI_Recv = 2 * 200 * 4 + 4
// expect: calls MPI_Send = 2 * 200 + 1
// expect: messages MPI_Send 1 -> 0 = 200 + 1
// expect: calls MPI_Allreduce = 2 * 200
// expect: nested MPI_Allreduce = 0
// expect: calls MPI_Bcast = 2
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "fibers.h"

enum { ROUNDS = 200 };

static int wrong, rank, yields, has_fibers;
static long switches;

int sched_yield(void)
{
    yields = 1;
    if (has_fibers && !ended[1 - current]) {
        switches++;
        yield();
    }
    return 0;
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        int in = -1, sum = 0;
        if (which == 0) {
            MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += in != i;
        } else {
            MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
            wrong += sum != 2 * i;
        }
    }
}

int main(int argc, char **argv)
{
    int late = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // One waits, and both know whether MPI yields.
    if (rank == 1) {
        usleep(100000);
        MPI_Send(&late, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&late, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&yields, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!yields) {
        if (rank == 0)
            puts("no yields");
        MPI_Finalize();
        return 0;
    }
    has_fibers = 1;
    run_fibers(live);
    has_fibers = 0;
    if (wrong || !switches)
        printf("wrong: %d, %ld switches\n", wrong, switches);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
