// Makes COUNT communicators and frees them, with a send to nobody on each. Prints "took NANOSECONDS", between
// MPI_Init and MPI_Finalize, by each rank.
// run: -n 2 -- COUNT
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Init(&argc, &argv);
    long long begin = now();
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, i, comm);
        MPI_Comm_free(&comm);
    }
    printf("took %lld\n", now() - begin);
    MPI_Finalize();
    return 0;
}
