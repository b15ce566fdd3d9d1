// Rank 1 goes into a barrier, and rank 0 sleeps outside MPI instead of coming. "comes" lets it come after the seconds that are
// given; "killed" lets it be killed by SIGKILL then; "aborts" lets both ranks call MPI_Abort then. Rank 1 writes to the file when it
// went in, by the system's monotonic clock, in nanoseconds.
// run: -n 2 -- HOW SECONDS FILE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void write_time(const char *path)
{
    struct timespec now;
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "%lld\n", now.tv_sec * 1000000000ll + now.tv_nsec);
    fclose(file);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const char *how = argv[1];
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "aborts")) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0) {
        usleep((useconds_t)(atof(argv[2]) * 1e6));
        if (!strcmp(how, "killed"))
            kill(getpid(), SIGKILL);
    } else {
        write_time(argv[3]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
