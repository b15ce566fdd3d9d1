// The program limits the size of files after MPI_Init, makes so many calls that the trace would grow beyond it, and counts
// the signals that writes beyond the limit raise: one, of its own write.
// run: -n 2 -- BYTES RESULT
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t raised;

static void count(int signal)
{
    (void)signal;
    raised++;
}

int main(int argc, char **argv)
{
    int rank;
    char name[4096], data[8] = {0};
    struct rlimit limit, before;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%s-%d", argv[2], rank);
    int result = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = atol(argv[1]);
    signal(SIGXFSZ, count);
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 300000; i++)
        MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_SELF);
    if (pwrite(result, data, 8, limit.rlim_cur) != -1)
        return 3;
    setrlimit(RLIMIT_FSIZE, &before);
    if (raised != 1)
        printf("rank %d: %d signals\n", rank, (int)raised);
    MPI_Finalize();
    if (rank == 0)
        printf("done\n");
    return 0;
}
