// Each rank computes in three functions in turn, each for its share of 4 s of processor time, between collective calls, and says in
// milliseconds what each took by its own clock. So much is in samples, each with its path.
// run: -n 2
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double taken[3];
static volatile double sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static inline __attribute__((always_inline)) void work(double seconds, double *to) {
    double begin = now(), end = begin;
    while (end - begin < seconds) {
        for (int turn = 0; turn < 20000; turn++)
            sink += turn * 1e-9;
        end = now();
    }
    *to += end - begin;
}

__attribute__((noinline)) static void solve(double seconds) {
    work(seconds, &taken[0]);
}

__attribute__((noinline)) static void check(double seconds) {
    work(seconds, &taken[1]);
}

__attribute__((noinline)) static void store(double seconds) {
    check(seconds / 4);
    work(seconds, &taken[2]);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; step++) {
        solve(rank == 0 ? 0.12 : 0.06);
        check(0.03);
        store(rank == 0 ? 0.02 : 0.08);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double all[2][3];
    MPI_Gather(taken, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int of = 0; of < 2; of++)
            printf("%d solve %.0f\n%d check %.0f\n%d store %.0f\n", of, 1e3 * all[of][0], of, 1e3 * all[of][1], of, 1e3 * all[of][2]);
    MPI_Finalize();
    return 0;
}
