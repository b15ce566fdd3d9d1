// Overlap of collective operations, and what only looks like it. Both ranks reduce vectors too long to go at once, ten at each of
// three places: they wait right after the post, they compute between and nothing turns the progress engine, they compute as long and
// test meanwhile.
// run: -n 2
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10, LENGTH = 1 << 19, PARTS = 50 };

static double in[LENGTH], out[LENGTH];

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

static void right_after(MPI_Request *request)
{
    MPI_Iallreduce(in, out, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request); // right after
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void without_progress(MPI_Request *request)
{
    MPI_Iallreduce(in, out, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request); // without progress
    compute(0.03);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void with_progress(MPI_Request *request)
{
    int complete = 0;
    MPI_Iallreduce(in, out, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request); // with progress
    for (int part = 0; part < PARTS; part++) {
        compute(0.03 / PARTS);
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
        if (round < ROUNDS)
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
