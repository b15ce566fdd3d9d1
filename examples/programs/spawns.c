// 2 ranks spawn 2 children, which exchange messages with them over the intercommunicator and with each other in a world
// of their own, and all disconnect.
// run: -n 2
// set: I_MPI_SPAWN=1
// cannot: mpich4 (Debian's is made without a process manager that spawns)
// also: MPI_Reduce
// expect: calls MPI_Init = 4
// expect: calls MPI_Comm_spawn = 2
// expect: calls MPI_Sendrecv = 2 * 10 + 2 * 10 + 2 * 30
// expect: sent MPI_Sendrecv = 2 * 10 * 4 + 2 * 10 * 4 + 2 * 30 * 4
// expect: received MPI_Sendrecv = 2 * 10 * 4 + 2 * 10 * 4 + 2 * 30 * 4
// expect: calls MPI_Sendrecv at with the other world = 2 * 10 + 2 * 10
// expect: calls MPI_Sendrecv at among children = 2 * 30
// expect: calls MPI_Comm_disconnect = 4
// expect: calls MPI_Finalize = 4
#include <mpi.h>
#include <stdio.h>

static int rank, wrong;

static void meet(MPI_Comm others)
{
    for (int i = 0; i < 10; i++) {
        int out = i + rank, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, rank, i, &in, 1, MPI_INT, rank, i, others, MPI_STATUS_IGNORE); // with the other world
        wrong += in != out;
    }
}

static void among_children(void)
{
    for (int i = 0; i < 30; i++) {
        int in = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, i, &in, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // among children
        wrong += in != 1 - rank;
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        meet(parent);
        among_children();
        MPI_Reduce(&wrong, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    meet(children);
    MPI_Reduce(NULL, &all, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    MPI_Comm_disconnect(&children);
    if (rank == 0 && wrong + all)
        printf("wrong: %d\n", wrong + all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
