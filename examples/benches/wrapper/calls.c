// What a call costs: each function a million times, in blocks; prints "NAME nanoseconds" of the median block.
// run: -n 1
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 50, REPEATS = 20000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define MEASURE(name, calls, ...)                                  \
    do {                                                           \
        double blocks[BLOCKS];                                     \
        for (int block = 0; block < BLOCKS; block++) {             \
            double begin = now();                                  \
            for (int repeat = 0; repeat < REPEATS; repeat++) {     \
                __VA_ARGS__;                                       \
            }                                                      \
            blocks[block] = (now() - begin) / (REPEATS * (calls)); \
        }                                                          \
        qsort(blocks, BLOCKS, sizeof *blocks, ascending);          \
        printf("%s %.2f\n", name, blocks[BLOCKS / 2]);             \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int flag, rank, in = 1, out;
    char bytes[16] = {0};
    MPI_Request request = MPI_REQUEST_NULL, both[2];
    MEASURE("MPI_Comm_rank", 1, MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MEASURE("MPI_Iprobe", 1, MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    MEASURE("MPI_Test", 1, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    MEASURE("MPI_Allreduce", 1, MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    MEASURE("Isend+Irecv+Waitall", 3, MPI_Irecv(bytes, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[0]);
            MPI_Isend(bytes + 8, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    MPI_Finalize();
    return 0;
}
