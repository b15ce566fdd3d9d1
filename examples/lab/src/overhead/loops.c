// Loops that recording may delay, each for a third of a second or so on two ranks: ./loops NAME
// Prints the nanoseconds between MPI_Init and MPI_Finalize, of rank 0.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, other;
static char large[1 << 20], into[1 << 20];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

// Work of a fixed amount, so that a slower program takes longer.
static void compute(long steps)
{
    static volatile double sum = 1;
    while (steps-- > 0)
        sum = sum * 0.999999 + 1e-6;
}

static void messages(void)
{
    for (int i = 0; i < 300000; i++)
        if (rank == 0) {
            MPI_Send(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            MPI_Recv(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
}

static void late(void)
{
    for (int i = 0; i < 50; i++) {
        if (rank == 1)
            compute(2000000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void allreduce(void)
{
    double one = 1, sum;
    for (int i = 0; i < 300000; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void rare(void)
{
    for (int i = 0; i < 20; i++) {
        compute(5000000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void polling(void)
{
    for (int i = 0; i < 50; i++) {
        int done = 0;
        if (rank == 1) {
            compute(2000000);
            MPI_Send(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        } else {
            MPI_Request request;
            MPI_Irecv(into, 8, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
            while (!done)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
    }
}

static void nonblocking(void)
{
    double one = 1, sum;
    MPI_Request request;
    for (int i = 0; i < 100000; i++) {
        MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void one_sided(void)
{
    MPI_Win window;
    MPI_Win_create(large, sizeof large, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 50000; i++) {
        MPI_Put(into, 8, MPI_BYTE, other, 0, 8, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

static void large_messages(void)
{
    for (int i = 0; i < 1000; i++)
        MPI_Sendrecv(large, sizeof large, MPI_BYTE, other, 0, into, sizeof into, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} LOOPS[] = {
    {"messages", messages},   {"late", late},           {"allreduce", allreduce}, {"rare", rare},
    {"polling", polling},     {"nonblocking", nonblocking}, {"one_sided", one_sided}, {"large", large_messages},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    for (unsigned i = 0; i < sizeof LOOPS / sizeof *LOOPS; i++)
        if (argc > 1 && strcmp(argv[1], LOOPS[i].name) == 0)
            LOOPS[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("took %.0f\n", now() - begin);
    MPI_Finalize();
    return 0;
}
