// Programs for `cargo lab whatif`, each as it is and really changed: ./changed NAME before|after
//
// Ranks sleep in place of computing, so that each has a core of its own when it goes on. They wake early and look at the clock until the
// time has come: the kernel wakes them late by a time that does not depend on the length, so half the work would not take half the time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static int rank, size, after;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void wait_until(double then)
{
    double seconds = then - now() - 0.2e-3;
    if (seconds > 0) {
        struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (time_t)seconds) * 1e9)};
        nanosleep(&time, NULL);
    }
    while (now() < then)
        ;
}

static void work(double milliseconds)
{
    wait_until(now() + milliseconds / 1e3);
}

// Ranks exchange with both neighbors after each step. Changed: rank 1 takes half as long again.
static void slow_rank(void)
{
    double out = 1, in;
    for (int step = 0; step < 100; step++) {
        work((3 + 0.3 * rank) * (after && rank == 1 ? 1.5 : 1));
        int next = (rank + 1) % size, last = (rank + size - 1) % size;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, next, 0, &in, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, last, 1, &in, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// The root computes longest before it broadcasts. Changed: it takes half as long.
static void fast_root(void)
{
    double value = 1;
    for (int step = 0; step < 100; step++) {
        work(rank == 0 ? (after ? 2 : 4) : 1 + 0.5 * rank);
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

// Each rank takes what the rank before it hands on. Changed: rank 1, the slowest, takes half as long.
static void pipeline(void)
{
    double value = 1;
    for (int step = 0; step < 100; step++) {
        if (rank > 0)
            MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(rank == 1 ? (after ? 2.5 : 5) : 2);
        if (rank < size - 1)
            MPI_Send(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Another rank has the most work in each step. Changed: all have the mean.
static void balanced(void)
{
    double value = 1, sum;
    for (int step = 0; step < 100; step++) {
        work(after ? 1 + (size - 1) : 1 + 2 * ((rank + step) % size));
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

// Another rank has the most work in each step, and all meet. Changed: they do not.
static void barrier(void)
{
    double value = 1, sum;
    for (int step = 0; step < 100; step++) {
        work(1 + 2 * ((rank + step) % size));
        if (!after)
            MPI_Barrier(MPI_COMM_WORLD); // barrier
        if (step % 10 == 9)
            MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

// Two kinds of work in each step. Changed: the one before the sum takes half as long.
static void before_sum(void)
{
    double value = 1, sum;
    for (int step = 0; step < 100; step++) {
        work(3 + rank);
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        work((4 - 0.5 * rank) * (after ? 0.5 : 1));
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // sum
    }
}

// A token goes round. Changed: each message takes 2 ms longer.
static void latency_ring(void)
{
    int token = 0;
    // The barrier before takes longer, too.
    work(after ? 2 : 0);
    for (int step = 0; step < 60; step++) {
        if (rank > 0 || step > 0) {
            MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            // The rank waits, so the message comes now.
            work(after ? 2 : 0);
        }
        work(1);
        if (rank < size - 1 || step < 59)
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
}

// How long a message takes to a rank that waits, and back.
static double round_trip(double longer)
{
    int other = 1 - rank;
    double begin, least = 1;
    for (int trip = 0; trip < 5; trip++) {
        begin = now();
        for (int sender = 0; sender < 2; sender++) {
            if (rank == sender) {
                MPI_Send(&least, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
                continue;
            }
            MPI_Recv(&least, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            work(1e3 * longer);
        }
    }
    return now() - begin - 2 * longer;
}

// Messages travel while ranks compute. Changed: they take 5 ms longer, and the computation hides most of it.
static void latency_hidden(void)
{
    double sent, got, longer = after ? 5e-3 : 0;
    // The barrier before takes longer, too.
    work(1e3 * longer);
    double way = round_trip(longer) / 2;
    for (int step = 0; step < 100; step++) {
        MPI_Request requests[2];
        MPI_Irecv(&got, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
        sent = now();
        MPI_Isend(&sent, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
        work(3 + 0.5 * rank);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (after)
            wait_until(got + way + longer);
    }
}

// The receiver takes eight messages after each burst of work, which wait for it. Changed: the library stores them on their way.
static void late_receiver(void)
{
    enum { COUNT = 2048, BURST = 8 };
    static double data[COUNT];
    for (int step = 0; step < 20; step++) {
        work(rank == 1 ? 16 : 0);
        for (int message = 0; message < BURST; message++) {
            if (rank == 1)
                MPI_Recv(data, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank != 0)
                continue;
            work(3);
            MPI_Send(data, COUNT, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        }
    }
}

// A rank sends its results one by one. Changed: all of a step at once.
static void batched(void)
{
    enum { PARTS = 200 };
    double data[PARTS] = {0};
    for (int step = 0; step < 200; step++) {
        if (rank == 0)
            work(1);
        for (int part = 1; part < PARTS && !after; part++) {
            if (rank == 0)
                MPI_Send(&data[part], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // part sent
            if (rank == 1)
                MPI_Recv(&data[part], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // part got
        }
        int count = after ? PARTS : 1;
        if (rank == 0)
            MPI_Send(data, count, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(data, count, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Ranks fetch their work from rank 0 as they come. Changed: rank 1 takes half as long, so that it fetches more.
static void fetched(void)
{
    int next = 0, task;
    enum { TASKS = 200 };
    if (rank > 0) {
        for (;;) {
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (task < 0)
                return;
            work(rank == 1 ? (after ? 3 : 6) : 3);
        }
    }
    for (int left = size - 1; left > 0;) {
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        int give = next < TASKS ? next++ : -1;
        left -= give < 0;
        MPI_Send(&give, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"slow_rank", slow_rank},       {"fast_root", fast_root},           {"pipeline", pipeline},
    {"balanced", balanced},         {"barrier", barrier},               {"before_sum", before_sum},
    {"latency_ring", latency_ring}, {"latency_hidden", latency_hidden}, {"late_receiver", late_receiver},
    {"batched", batched},           {"fetched", fetched},
};

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    after = strcmp(argv[2], "after") == 0;
    // Sleeps end as exactly as the kernel can.
    prctl(PR_SET_TIMERSLACK, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t program = 0; program < sizeof(programs) / sizeof(*programs); program++)
        if (strcmp(programs[program].name, argv[1]) == 0)
            programs[program].run();
    MPI_Finalize();
    return 0;
}
