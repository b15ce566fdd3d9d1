// While one fiber is in MPI_Type_dup, the other leaves MPI_Send by longjmp, again and again, and goes on with other calls. The
// sends are said to be left, and nothing else is. The last MPI_Type_dup, which nobody goes on with, is open when the process ends.
// run: -n 2
// also: MPI_Type_create_keyval MPI_Type_set_attr MPI_Type_contiguous MPI_Type_free
// also: MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Errhandler_free
// expect: calls MPI_Type_dup = 2 * 11
// expect: calls MPI_Send = 2 * 10
// expect: calls MPI_Barrier = 2 * 10
// expect: calls MPI_Bcast = 2 * 20
// expect: nested MPI_Bcast = 0
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 10, NOBODY = 99 };

static jmp_buf back;
static volatile int copies, handled, stays;
static MPI_Datatype type;

static void handle(MPI_Comm *comm, int *code, ...)
{
    handled++;
    longjmp(back, 1);
}

static int copy(MPI_Datatype old, int keyval, void *extra, void *value, void *copied, int *flag)
{
    if (stays)
        setcontext(&scheduler);
    yield();
    copies++;
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static void live(int which)
{
    int number = 1;
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (which == 0) {
            MPI_Datatype copied;
            MPI_Type_dup(type, &copied);
            MPI_Barrier(MPI_COMM_SELF);
            MPI_Type_free(&copied);
        } else {
            if (!setjmp(back))
                MPI_Send(&number, 1, MPI_INT, NOBODY, 0, MPI_COMM_WORLD);
            MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
            yield();
            MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
        }
    }
}

static void stay(int which)
{
    MPI_Datatype copied;
    stays = 1;
    MPI_Type_dup(type, &copied);
}

int main(int argc, char **argv)
{
    int rank, key;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_keyval(copy, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &key);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    run_fibers(live);
    ended[0] = ended[1] = 0;
    run_fibers(stay);
    if (copies != ROUNDS || handled != ROUNDS)
        printf("wrong: %d copies, %d errors handled\n", copies, handled);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
