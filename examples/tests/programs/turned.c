// Communicates in many ways, some of them by asking again and again. With counter.so preloaded it prints how often its
// own thread entered the progress engine meanwhile. The argument is how many rounds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) void count_from_now(void);
__attribute__((weak)) long counted(void);

enum { BYTES = 65536 };

int main(int argc, char **argv)
{
    int rank, size, done, rounds = argc > 1 ? atoi(argv[1]) : 50;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc(size, BYTES), *in = calloc(size, BYTES);
    if (count_from_now)
        count_from_now();
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < rounds; round++) {
        MPI_Sendrecv(out, BYTES, MPI_BYTE, next, 1, in, BYTES, MPI_BYTE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(in, BYTES, MPI_BYTE, previous, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, next, 2, MPI_COMM_WORLD, &requests[1]);
        do
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        while (!done);
        MPI_Alltoall(out, BYTES / size, MPI_BYTE, in, BYTES / size, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
    }
    long entries = counted ? counted() : -1;
    MPI_Finalize();
    if (entries >= 0)
        printf("%d %ld\n", rank, entries);
    return 0;
}
