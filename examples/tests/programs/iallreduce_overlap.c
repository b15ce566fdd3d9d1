// MPI_Iallreduce overlapped with computation, measured as the OSU and Intel benchmarks do: alone, then with as much computation, with some
// tests in it or none. Rank 0 prints, for each size, the time alone in microseconds and the overlap in percent.
// run: -n 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 60, LARGEST = 1 << 16 };

static volatile double sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void compute(double seconds)
{
    double begin = now();
    while (now() - begin < seconds)
        for (int i = 0; i < 50; i++)
            sink = sink * 0.5 + 1;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return (values[ROUNDS / 2 - 1] + values[ROUNDS / 2]) / 2;
}

static char in[LARGEST], out[LARGEST];

// One round: how long it took, and what of that was computation. Behind a test that says yes comes all computation that is left.
static double round_of(int bytes, double work, int tests, double *computed)
{
    MPI_Request request;
    int done = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    *computed = 0;
    MPI_Iallreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int part = 0, parts; work > 0 && part <= tests; part += parts) {
        double before = now();
        parts = done ? tests + 1 - part : 1;
        compute(work * parts / (tests + 1));
        *computed += now() - before;
        if (part < tests && !done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return now() - begin;
}

int main(int argc, char **argv)
{
    int rank, tests = argc > 1 ? atoi(argv[1]) : 0;
    double alone[ROUNDS], both[ROUNDS], work[ROUNDS], none;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int bytes = 256; bytes <= LARGEST; bytes *= 16) {
        for (int i = 0; i < ROUNDS; i++)
            alone[i] = round_of(bytes, 0, 0, &none);
        double pure = median(alone), slowest;
        MPI_Allreduce(&pure, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        for (int i = 0; i < ROUNDS; i++)
            both[i] = round_of(bytes, slowest, tests, &work[i]);
        double overlaps[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            double least = pure < work[i] ? pure : work[i], share = 100 * (pure + work[i] - both[i]) / least;
            overlaps[i] = share < 0 ? 0 : share > 100 ? 100 : share;
        }
        if (rank == 0)
            printf("%d %.3f %.3f\n", bytes, pure * 1e6, median(overlaps));
    }
    MPI_Finalize();
    return 0;
}
