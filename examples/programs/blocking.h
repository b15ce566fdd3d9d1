// Finds how long a message must be for MPI_Send to wait until it is received.
//
// Libraries choose the limit by the processor, and users set it: Intel MPI sends 1 MiB at once on one machine and 4 MiB on
// another. So a program whose ranks wait in MPI_Send asks before it begins. It asks by PMPI, which is not recorded.
#ifndef BLOCKING_H
#define BLOCKING_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_BLOCKING = 64 << 10, MOST_BLOCKING = 64 << 20, BLOCKING_TRIALS = 3 };

static inline double blocking_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// True on rank 0 if it was in MPI_Send until rank 1, which comes 10 ms later, received.
static inline int blocks(int rank, char *data, int bytes)
{
    double sent, received;
    if (rank == 0) {
        PMPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        sent = blocking_clock();
        PMPI_Recv(&received, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return sent > received;
    }
    if (rank == 1) {
        struct timespec late = {.tv_nsec = 10000000};
        nanosleep(&late, NULL);
        received = blocking_clock();
        PMPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PMPI_Send(&received, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    return 0;
}

// Twice the least length that waited in each of some trials: a length near the limit may wait for other reasons. All ranks
// call it.
static inline int blocking_bytes(void)
{
    int rank, bytes = LEAST_BLOCKING, trials = 0;
    char *data = calloc(1, MOST_BLOCKING);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (trials < BLOCKING_TRIALS && bytes <= MOST_BLOCKING) {
        if (blocks(rank, data, bytes))
            trials++;
        else if (rank == 0) {
            trials = 0;
            bytes *= 2;
        }
        int both[] = {bytes, trials};
        PMPI_Bcast(both, 2, MPI_INT, 0, MPI_COMM_WORLD);
        bytes = both[0];
        trials = both[1];
    }
    free(data);
    if (bytes > MOST_BLOCKING) {
        printf("wrong: MPI_Send returns at once even from %d bytes\n", MOST_BLOCKING);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return 2 * bytes;
}

#endif
