// Two ranks exchange ten messages; then rank 1 ends as the first argument says, while rank 0 waits in MPI_Barrier. With
// "waits", rank 0 makes the file that the second argument names, and both wait in MPI_Recv for what nobody sends. With
// "late", rank 1 exits with status 3 once both have finalized MPI; with "well", both end well.
// run: -n 2 -- exit|term|handled|abort|segv|MPI_Abort|waits|late|well [FILE]
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void handler(int signal)
{
    (void)signal;
    exit(4);
}

static void end(const char *how)
{
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "handled")) {
        signal(SIGTERM, handler);
        kill(getpid(), SIGTERM);
    }
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 0;
    if (!strcmp(how, "MPI_Abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    // That of MPICH 5 returns, and what it asked for comes later.
    pause();
}

int main(int argc, char **argv)
{
    int rank, in = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(argv[1], "waits")) {
        if (rank == 0)
            close(open(argv[2], O_CREAT | O_WRONLY, 0644));
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    int ends_well = !strcmp(argv[1], "late") || !strcmp(argv[1], "well");
    if (rank == 1 && !ends_well) {
        // The other one comes to its barrier, even on a busy machine.
        usleep(100000);
        end(argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return rank == 1 && !strcmp(argv[1], "late") ? 3 : 0;
}
