// The loops of osu_put_latency, osu_get_latency, osu_put_bw and osu_get_bw, rewritten: one transfer, or a window of them, and a
// flush, inside one epoch.
// run: -n 2
#include "loops.h"

enum { SMALL = 8192, WINDOW = 64, ITERATIONS = 10000, SKIPPED = 100, ITERATIONS_LARGE = 1000, SKIPPED_LARGE = 10 };
enum { WINDOWS = 100, WINDOWS_SKIPPED = 10, WINDOWS_LARGE = 20, WINDOWS_SKIPPED_LARGE = 2 };

static char *own;
static MPI_Win window;

static void put(int bytes, MPI_Aint at)
{
    MPI_Put(own + at, bytes, MPI_CHAR, 1, at, bytes, MPI_CHAR, window);
}

static void get(int bytes, MPI_Aint at)
{
    MPI_Get(own + at, bytes, MPI_CHAR, 1, at, bytes, MPI_CHAR, window);
}

// Seconds that the iterations behind the skipped ones take.
static double seconds(void (*transfer)(int, MPI_Aint), int bytes, int transfers, int iterations, int skipped)
{
    double start = 0, end = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        for (int i = 0; i < iterations + skipped; i++) {
            if (i == skipped)
                start = MPI_Wtime();
            for (int one = 0; one < transfers; one++)
                transfer(bytes, (MPI_Aint)one * bytes);
            MPI_Win_flush(1, window);
        }
        end = MPI_Wtime();
        MPI_Win_unlock(1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return end - start;
}

static void latency(const char *loop, void (*transfer)(int, MPI_Aint), int bytes)
{
    int is_small = bytes <= SMALL;
    int iterations = times(is_small ? ITERATIONS : ITERATIONS_LARGE), skipped = times(is_small ? SKIPPED : SKIPPED_LARGE);
    double taken = seconds(transfer, bytes, 1, iterations, skipped);
    row(loop, bytes, "latency_us=%.4f", taken * 1e6 / iterations);
}

static void bandwidth(const char *loop, void (*transfer)(int, MPI_Aint), int bytes)
{
    int is_small = bytes <= SMALL;
    int iterations = times(is_small ? WINDOWS : WINDOWS_LARGE);
    int skipped = times(is_small ? WINDOWS_SKIPPED : WINDOWS_SKIPPED_LARGE);
    double taken = seconds(transfer, bytes, WINDOW, iterations, skipped);
    row(loop, bytes, "megabytes_a_second=%.4f", (double)bytes * WINDOW * iterations / taken / 1e6);
}

int main(int argc, char **argv)
{
    void *exposed;
    begin(argc, argv);
    own = buffer((size_t)WINDOW * most_bytes);
    MPI_Win_allocate((MPI_Aint)WINDOW * most_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
        latency("osu_put_latency", put, bytes);
        latency("osu_get_latency", get, bytes);
        bandwidth("osu_put_bw", put, bytes);
        bandwidth("osu_get_bw", get, bytes);
    }
    MPI_Win_free(&window);
    free(own);
    MPI_Finalize();
    return 0;
}
