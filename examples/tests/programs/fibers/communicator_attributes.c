// Two fibers are in MPI_Comm_dup and MPI_Comm_free at once: the copy and the delete function of an attribute hand over to
// the other, and make calls of their own before and after.
// run: -n 2
// also: MPI_Comm_create_keyval MPI_Comm_set_attr MPI_Comm_delete_attr MPI_Comm_free_keyval
// expect: calls MPI_Comm_dup = 2 * 2 * 20 + 2 * 2
// expect: calls MPI_Comm_free = 2 * 2 * 20 + 2 * 2
// expect: calls MPI_Allreduce = 2 * 2 * 20
// expect: nested MPI_Allreduce = 2 * 2 * 20 * 4
// expect: sent MPI_Allreduce = 2 * 2 * 20 * 4
#include <mpi.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 20 };

static int wrong, copies, deletions, finished;
static MPI_Comm comms[FIBERS];

static void reduce(void)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    wrong += sum != 1;
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *copied, int *flag)
{
    reduce();
    yield();
    reduce();
    copies++;
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    if (finished)
        return MPI_SUCCESS;
    reduce();
    yield();
    reduce();
    deletions++;
    return MPI_SUCCESS;
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm copied;
        MPI_Comm_dup(comms[which], &copied);
        if (i % 3 == which)
            yield();
        reduce();
        MPI_Comm_free(&copied);
    }
}

int main(int argc, char **argv)
{
    int rank, key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(copy, delete, &key, NULL);
    for (int i = 0; i < FIBERS; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
        MPI_Comm_set_attr(comms[i], key, &wrong);
    }
    run_fibers(live);
    finished = 1;
    for (int i = 0; i < FIBERS; i++) {
        MPI_Comm_delete_attr(comms[i], key);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Comm_free_keyval(&key);
    if (wrong || copies != FIBERS * ROUNDS || deletions != FIBERS * ROUNDS)
        printf("wrong: %d, %d copies, %d deletions\n", wrong, copies, deletions);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
