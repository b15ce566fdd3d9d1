// Two fibers are in MPI_Comm_call_errhandler at once: the error handler hands over to the other. In between they send and
// receive.
// run: -n 2
// also: MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Errhandler_free
// expect: calls MPI_Comm_call_errhandler = 2 * 2 * 50
// expect: nested MPI_Comm_call_errhandler = 0
// expect: calls MPI_Isend = 2 * 2 * 50
// expect: calls MPI_Irecv = 2 * 2 * 50
// expect: received MPI_Irecv = 2 * 2 * 50 * 4
// expect: calls MPI_Waitall = 2 * 2 * 50
// expect: nested MPI_Waitall = 0
// expect: messages MPI_Isend 1 -> 1 = 2 * 50
#include <mpi.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 50 };

static int wrong, handled, rank;

static void handle(MPI_Comm *comm, int *code, ...)
{
    handled++;
    yield();
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        int in = -1;
        MPI_Request both[2];
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
        MPI_Irecv(&in, 1, MPI_INT, rank, which, MPI_COMM_WORLD, &both[0]);
        if (i % 3 == which)
            yield();
        MPI_Isend(&i, 1, MPI_INT, rank, which, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        wrong += in != i;
    }
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    run_fibers(live);
    MPI_Errhandler_free(&handler);
    if (wrong || handled != FIBERS * ROUNDS)
        printf("wrong: %d, %d errors handled\n", wrong, handled);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
