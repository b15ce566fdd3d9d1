// The loop of IMB-NBC since 2018, rewritten: the operation alone, then with an amount of computation that takes about as long. Of the
// rank whose overlapped operation takes longest in the mean: overlap = (pure + CPU - overlapped) / the larger of pure and CPU.
// run: -n 2
#include "nonblocking.h"

enum { VOLUME = 40 << 20, SAMPLES = 1000, BARRIERS = 2, SIZE = 10, CALIBRATED = 100000 };

static float matrix[SIZE][SIZE], x[SIZE], y[SIZE];

static void compute(long units)
{
    for (long unit = 0; unit < units; unit++)
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                x[i] = x[i] + matrix[i][j] * y[j];
}

static double units_a_second;

static void barriers(void)
{
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char *loop, void (*operation)(int, MPI_Request *), int bytes)
{
    int samples = bytes > 0 && VOLUME / bytes < SAMPLES ? VOLUME / bytes : SAMPLES;
    double pure = 0, both = 0, computed = 0;
    MPI_Request request;
    samples = times(samples);
    for (int i = 0; i < 2; i++) {
        operation(bytes, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    barriers();
    for (int i = 0; i < samples; i++) {
        pure -= MPI_Wtime();
        operation(bytes, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        pure += MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pure /= samples;
    long units = (long)(pure * units_a_second);
    units = units > 1 ? units : 1;
    compute(units);
    barriers();
    for (int i = 0; i < samples; i++) {
        both -= MPI_Wtime();
        operation(bytes, &request);
        computed -= MPI_Wtime();
        compute(units);
        computed += MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        both += MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    both /= samples;
    computed /= samples;
    double own[3] = {pure, both, computed}, *all = calloc(3 * ranks, sizeof *all);
    MPI_Gather(own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int slowest = 0;
    for (int other = 1; rank == 0 && other < ranks; other++)
        if (all[3 * other + 1] > all[3 * slowest + 1])
            slowest = other;
    double *of = all + 3 * slowest, larger = of[0] > of[2] ? of[0] : of[2];
    double share = rank == 0 ? (of[0] + of[2] - of[1]) / larger : 0;
    row(loop, bytes, "overlapped_us=%.4f pure_us=%.4f cpu_us=%.4f overlap=%.3f", of[1] * 1e6, of[0] * 1e6, of[2] * 1e6,
        100 * (share < 0 ? 0 : share > 1 ? 1 : share));
    free(all);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    make_buffers();
    double start = MPI_Wtime();
    compute(CALIBRATED);
    units_a_second = CALIBRATED / (MPI_Wtime() - start);
    for_each(argc, argv, "imb", measure);
    MPI_Finalize();
    return 0;
}
