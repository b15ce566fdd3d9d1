// The loops of osu_allreduce, osu_bcast, osu_allgather and osu_barrier, rewritten: each rank times its own calls, between which
// stands a barrier, and the means of the ranks are averaged, with the least and the most of them.
// run: -n 4
#include "loops.h"

enum { SMALL = 8192, ITERATIONS = 1000, SKIPPED = 100, ITERATIONS_LARGE = 100, SKIPPED_LARGE = 10 };

static char *out, *in;

static void allreduce(int bytes)
{
    MPI_Allreduce(out, in, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(int bytes)
{
    MPI_Bcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
    MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char *loop, void (*operation)(int), int bytes)
{
    int iterations = times(bytes > SMALL ? ITERATIONS_LARGE : ITERATIONS);
    int skipped = times(bytes > SMALL ? SKIPPED_LARGE : SKIPPED);
    double timer = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations + skipped; i++) {
        double start = MPI_Wtime();
        operation(bytes);
        double stop = MPI_Wtime();
        if (i >= skipped)
            timer += stop - start;
        if (operation != barrier)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double latency = timer * 1e6 / iterations;
    double least = over_ranks(latency, MPI_MIN), most = over_ranks(latency, MPI_MAX), sum = over_ranks(latency, MPI_SUM);
    row(loop, bytes, "mean_us=%.4f min_us=%.4f max_us=%.4f", sum / ranks, least, most);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    out = buffer(most_bytes);
    in = buffer((size_t)most_bytes * ranks);
    if (is_wanted(argc, argv, "osu_barrier"))
        measure("osu_barrier", barrier, 0);
    for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 4) {
        if (is_wanted(argc, argv, "osu_allreduce"))
            measure("osu_allreduce", allreduce, bytes);
        if (is_wanted(argc, argv, "osu_bcast"))
            measure("osu_bcast", bcast, bytes);
        if (is_wanted(argc, argv, "osu_allgather"))
            measure("osu_allgather", allgather, bytes);
    }
    MPI_Finalize();
    return 0;
}
