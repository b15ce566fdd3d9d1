// When requests complete. Rank 0 receives ten messages at each of two places: at one it asks until the message is there, computes for
// 10 ms, and waits in vain; at the other it waits until rank 1 sends, 10 ms later.
// run: -n 2
// also: MPI_Barrier MPI_Request_get_status MPI_Send
// expect: calls MPI_Irecv rank 0 = 2 * 10
// expect: calls MPI_Wait rank 0 = 2 * 10
// expect: received MPI_Irecv rank 0 = 2 * 10 * 8
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10 };

static long data;

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

static void early(void)
{
    int complete = 0;
    MPI_Request request;
    MPI_Irecv(&data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request); // early
    while (!complete)
        MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
    compute(0.01);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void late(void)
{
    MPI_Request request;
    MPI_Irecv(&data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request); // late
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1 && round >= ROUNDS)
            compute(0.01);
        if (rank == 1)
            MPI_Send(&data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        else if (round < ROUNDS)
            early();
        else
            late();
    }
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
