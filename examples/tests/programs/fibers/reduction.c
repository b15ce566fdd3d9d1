// Two fibers are in MPI_Reduce_local at once: a reduction operation of the program hands over to the other. The same in an
// MPI_Allreduce of all ranks, during which the other fiber sends messages to its own: another rank might be waiting for the
// reduction.
// run: -n 2
// also: MPI_Op_create MPI_Op_free MPI_Comm_dup MPI_Comm_free
// expect: calls MPI_Reduce_local = 2 * 2 * 50
// expect: calls MPI_Allreduce = 2 * 50
// expect: sent MPI_Allreduce = 2 * 50 * 4
// expect: calls MPI_Sendrecv = 2 * 50
// expect: nested MPI_Sendrecv = 0
// expect: messages MPI_Sendrecv 0 -> 0 = 50
#include <mpi.h>
#include <stdio.h>

#include "fibers.h"

enum { ROUNDS = 50 };

static int wrong, rank;
static MPI_Op op;
static MPI_Comm other;

static void add(void *in, void *out, int *count, MPI_Datatype *type)
{
    yield();
    for (int i = 0; i < *count; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        int in = i, out = 1;
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
        wrong += out != i + 1;
        if (which == 0) {
            MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
            wrong += out != 2 * i;
        } else {
            MPI_Sendrecv(&in, 1, MPI_INT, rank, 0, &out, 1, MPI_INT, rank, 0, other, MPI_STATUS_IGNORE);
            wrong += out != i;
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Op_create(add, 1, &op);
    run_fibers(live);
    MPI_Op_free(&op);
    MPI_Comm_free(&other);
    if (wrong)
        printf("wrong: %d\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
