// The loop of osu_iallreduce and its like, rewritten: the operation alone, then with as much computation as its mean took on the same rank.
// Each rank's means are averaged over the ranks: overlap = 100 - (overall - compute) / pure * 100, at least 0.
// run: -n 2
#include "nonblocking.h"

enum { SMALL = 8192, ITERATIONS = 1000, SKIPPED = 100, ITERATIONS_LARGE = 100, SKIPPED_LARGE = 10, DIM = 25 };

static float matrix[DIM][DIM], x[DIM], y[DIM];

// Computes by pieces until their sum is so many seconds.
static void compute(double seconds)
{
    for (double elapsed = 0; elapsed < seconds;) {
        double start = MPI_Wtime();
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                x[i] = x[i] + matrix[i][j] * y[j];
        elapsed += MPI_Wtime() - start;
    }
}

static void measure(const char *loop, void (*operation)(int, MPI_Request *), int bytes)
{
    int iterations = times(bytes > SMALL ? ITERATIONS_LARGE : ITERATIONS);
    int skipped = times(bytes > SMALL ? SKIPPED_LARGE : SKIPPED);
    double alone = 0, both = 0, computed = 0, begun = 0, waited = 0;
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations + skipped; i++) {
        double start = MPI_Wtime();
        operation(bytes, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        double stop = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
        if (i >= skipped)
            alone += stop - start;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double target = alone / iterations;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations + skipped; i++) {
        double start = MPI_Wtime(), begin = MPI_Wtime();
        operation(bytes, &request);
        begin = MPI_Wtime() - begin;
        double work = MPI_Wtime();
        compute(target);
        work = MPI_Wtime() - work;
        double wait = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wait = MPI_Wtime() - wait;
        double stop = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
        if (i >= skipped) {
            both += stop - start;
            computed += work;
            begun += begin;
            waited += wait;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double share = 1e6 / iterations / ranks;
    double pure = over_ranks(alone * share, MPI_SUM), overall = over_ranks(both * share, MPI_SUM);
    double compute = over_ranks(computed * share, MPI_SUM), init = over_ranks(begun * share, MPI_SUM);
    double wait = over_ranks(waited * share, MPI_SUM), overlap = 100 - (overall - compute) / pure * 100;
    row(loop, bytes, "overall_us=%.4f compute_us=%.4f init_us=%.4f wait_us=%.4f pure_us=%.4f overlap=%.3f", overall, compute,
        init, wait, pure, overlap > 0 ? overlap : 0);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    make_buffers();
    for_each(argc, argv, "osu", measure);
    MPI_Finalize();
    return 0;
}
