// Overlap, and what only looks like it. Rank 0 receives messages too long to go at once, ten at each of three places: it waits
// right after the post; it computes between and nothing turns its progress engine; it computes as long and tests meanwhile.
// run: -n 2
// also: MPI_Barrier MPI_Test MPI_Isend
// expect: calls MPI_Irecv rank 0 = 3 * 10
// expect: calls MPI_Wait rank 0 = 3 * 10
// expect: received MPI_Irecv rank 0 = 3 * 10 * 4194304
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10, BYTES = 1 << 22, PARTS = 50 };

static char data[BYTES];

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

static void give(void)
{
    MPI_Request request;
    MPI_Isend(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void right_after(MPI_Request *request)
{
    MPI_Irecv(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request); // right after
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void without_progress(MPI_Request *request)
{
    MPI_Irecv(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request); // without progress
    compute(0.02);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void with_progress(MPI_Request *request)
{
    int complete = 0;
    MPI_Irecv(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request); // with progress
    for (int part = 0; part < PARTS; part++) {
        compute(0.02 / PARTS);
        if (!complete)
            MPI_Test(request, &complete, MPI_STATUS_IGNORE);
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3 * ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            give();
        else if (round < ROUNDS)
            right_after(&request);
        else if (round < 2 * ROUNDS)
            without_progress(&request);
        else
            with_progress(&request);
    }
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
