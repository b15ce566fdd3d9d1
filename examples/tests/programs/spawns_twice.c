// 2 ranks spawn 2 children and merge with them, by a copy of the intercommunicator; in what comes of that each sends 5 messages
// to the next. Then rank 0 alone spawns another child, and each of these two sends the other 7.
// run: -n 2
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void exchange(int times, int to, int from, MPI_Comm comm)
{
    for (int i = 0; i < times; i++) {
        int in;
        MPI_Sendrecv(&i, 1, MPI_INT, to, 0, &in, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
    }
}

static void merge(MPI_Comm others, int after)
{
    MPI_Comm copy, all;
    int rank, size;
    MPI_Comm_dup(others, &copy);
    MPI_Intercomm_merge(copy, after, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    exchange(5, (rank + 1) % size, (rank + size - 1) % size, all);
    MPI_Comm_free(&all);
    MPI_Comm_free(&copy);
    MPI_Comm_disconnect(&others);
}

static void alone(MPI_Comm other)
{
    exchange(7, 0, 0, other);
    MPI_Comm_disconnect(&other);
}

static MPI_Comm spawn(char *program, char *what, int count, MPI_Comm parents)
{
    MPI_Comm children;
    char *arguments[] = {what, NULL};
    MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, 0, parents, &children, MPI_ERRCODES_IGNORE);
    return children;
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parents);
    if (argc > 1 && !strcmp(argv[1], "merge")) {
        merge(parents, 1);
    } else if (argc > 1) {
        alone(parents);
    } else {
        merge(spawn(argv[0], "merge", 2, MPI_COMM_WORLD), 0);
        if (rank == 0) {
            alone(spawn(argv[0], "alone", 1, MPI_COMM_SELF));
            puts("ok");
        }
    }
    MPI_Finalize();
    return 0;
}
