// Times its own calls with clock_gettime around them, and says how many there were and how long they took:
// "FUNCTION calls nanoseconds" for each, by rank 0. What two clock readings take alone is taken off.
// run: -n 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_cost;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

enum { BLOCKS = 1001 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define TIMED(name, repeats, ...)                                \
    do {                                                         \
        double total = 0;                                        \
        for (int repeat = 0; repeat < (repeats); repeat++) {     \
            double begin = now();                                \
            __VA_ARGS__;                                         \
            total += now() - begin - clock_cost;                 \
        }                                                        \
        if (rank == 0)                                           \
            printf("%s %d %.0f\n", name, repeats, total);        \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, flag, in = 1, out;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(1, 1 << 20);
    static double costs[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        double begin = now();
        for (int i = 0; i < 1000; i++)
            now();
        costs[block] = (now() - begin) / 1000;
    }
    qsort(costs, BLOCKS, sizeof *costs, ascending);
    clock_cost = costs[BLOCKS / 2];
    TIMED("MPI_Iprobe", 100000, MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    TIMED("MPI_Allreduce", 20000, MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TIMED("MPI_Bcast", 200, MPI_Bcast(data, 1 << 20, MPI_BYTE, 0, MPI_COMM_WORLD));
    TIMED("MPI_Sendrecv", 20000,
          MPI_Sendrecv(data, 8, MPI_BYTE, 1 - rank, 0, data + 8, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE));
    TIMED("MPI_Barrier", 20000, MPI_Barrier(MPI_COMM_WORLD));
    free(data);
    MPI_Finalize();
    return 0;
}
