// Between two exchanges, each rank computes for 10 ms of processor time and then sleeps, rank 1 longer. It says how many steps there were, and
// the mean step's microseconds on a processor.
// run: -n 2
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define STEPS 50

static volatile double sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int rank, mine = 0, theirs;
    double on = 0, all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        double begin = now();
        while (now() - begin < 0.01)
            sink += step;
        usleep(rank == 0 ? 10000 : 30000);
        on += now() - begin;
        for (int turn = 0; turn < 4; turn++)
            MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, turn, &theirs, 1, MPI_INT, 1 - rank, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Gather(&on, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int of = 0; rank == 0 && of < 2; of++)
        printf("%d %d %.0f\n", of, STEPS, 1e6 * all[of] / STEPS);
    MPI_Finalize();
    return 0;
}
