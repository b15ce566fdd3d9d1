// Two fibers are in MPI_Type_dup at once: the copy function of an attribute hands over to the other. Before and after that it
// makes a call of its own, which is inside MPI_Type_dup on its fiber alone.
// run: -n 2
// also: MPI_Type_create_keyval MPI_Type_set_attr MPI_Type_free_keyval MPI_Type_contiguous MPI_Type_free
// expect: calls MPI_Type_dup = 2 * 2 * 50
// expect: calls MPI_Sendrecv = 2 * 2 * 50
// expect: nested MPI_Sendrecv = 2 * 2 * 50 * 2
// expect: messages MPI_Sendrecv 0 -> 0 = 2 * 50
// expect: calls MPI_Barrier = 2 * 2 * 50
// expect: nested MPI_Barrier = 0
#include <mpi.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 50 };

static int wrong, copies;
static MPI_Datatype types[FIBERS];

static void exchange(int value)
{
    int got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, current, &got, 1, MPI_INT, 0, current, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    wrong += got != value;
}

static int copy(MPI_Datatype type, int keyval, void *extra, void *value, void *copied, int *flag)
{
    exchange(1);
    yield();
    exchange(2);
    copies++;
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype copied;
        MPI_Type_dup(types[which], &copied);
        exchange(i);
        // A fiber that is ahead by one call more, or by one less.
        if (i % 3 == which)
            yield();
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Type_free(&copied);
    }
}

int main(int argc, char **argv)
{
    int rank, key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_keyval(copy, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    for (int i = 0; i < FIBERS; i++) {
        MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
        MPI_Type_set_attr(types[i], key, &wrong);
    }
    run_fibers(live);
    for (int i = 0; i < FIBERS; i++)
        MPI_Type_free(&types[i]);
    MPI_Type_free_keyval(&key);
    if (wrong || copies != FIBERS * ROUNDS)
        printf("wrong: %d, %d copies\n", wrong, copies);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
