// Calls what may be called before MPI_Init and after MPI_Finalize, at both times and in between. What comes before
// MPI_Init is not recorded.
// run: -n 2
// filter: all
// expect: calls MPI_Comm_rank = 2
// expect: calls MPI_Initialized = 2 * 1 + 2 * 10
// expect: calls MPI_Finalized = 2 * 2 + 2 * 20
// expect: calls MPI_Get_version = 2 * 3 + 2 * 30
// expect: calls MPI_Get_library_version = 2 * 4 + 2 * 40
// expect: calls MPI_Initialized rank 1 = 1 + 10
// expect: calls MPI_Finalized rank 1 = 2 + 20
// expect: calls MPI_Get_version rank 1 = 3 + 30
// expect: calls MPI_Get_library_version rank 1 = 4 + 40
#include <mpi.h>
#include <stdio.h>

static int wrong;

static void ask(int times, int initialized, int finalized)
{
    int flag, major, minor, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    for (int i = 0; i < times; i++) {
        MPI_Initialized(&flag);
        wrong += !flag != !initialized;
    }
    for (int i = 0; i < 2 * times; i++) {
        MPI_Finalized(&flag);
        wrong += !flag != !finalized;
    }
    for (int i = 0; i < 3 * times; i++) {
        MPI_Get_version(&major, &minor);
        wrong += major < 3 || major > 5;
    }
    for (int i = 0; i < 4 * times; i++) {
        MPI_Get_library_version(text, &length);
        wrong += length < 1;
    }
}

int main(int argc, char **argv)
{
    int rank;
    ask(5, 0, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ask(1, 1, 0);
    MPI_Finalize();
    ask(10, 1, 1);
    if (wrong)
        printf("wrong: %d answers\n", wrong);
    else if (rank == 0)
        puts("ok");
    return 0;
}
