// As starved_progress, but rank 0 asks MPI whether its sends are done every 0.2 ms while it computes.
// run: -n 2
// also: MPI_Barrier
// expect: calls MPI_Testall rank 0 = 10 * 250
// expect: calls MPI_Isend rank 0 = 10 * 4
// expect: calls MPI_Irecv rank 1 = 10 * 4
// expect: calls MPI_Waitall = 10 * 2
// expect: sent MPI_Isend = 10 * 4 * 1048576
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 10, MESSAGES = 4, BYTES = 1 << 20 };

static char data[MESSAGES][BYTES];

static void compute(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request requests[MESSAGES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < MESSAGES; i++)
            if (rank == 0)
                MPI_Isend(data[i], BYTES, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]); // begins
            else
                MPI_Irecv(data[i], BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
        for (int slice = 0, done; rank == 0 && slice < 250; slice++) {
            compute(0.0002);
            MPI_Testall(MESSAGES, requests, &done, MPI_STATUSES_IGNORE);
        }
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE); // ends
    }
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
