// Every rank has the same work in every step, but a process that is none of the job's runs on rank 1's core now and then:
// 60 ms of each 200. Cured: it does not run.
#include "held_out.h"
#include <signal.h>
#include <sys/prctl.h>

enum { STEPS = 200 };

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// The daemon, which ends with its parent.
static void disturb(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        rest(0.14);
        for (double began = seconds(); seconds() - began < 0.06;)
            grind(1000);
    }
}

static double step(void)
{
    return grind(3000000);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    pid_t daemon = rank == 1 && !cured ? fork() : -1;
    if (daemon == 0)
        disturb();
    double sum = 0, one = grind(3000000);
    begin_loop();
    for (int turn = 0; turn < STEPS; turn++) {
        double mine = step(), all;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // sum
        sum += all;
    }
    if (daemon > 0)
        kill(daemon, SIGKILL);
    double expected = 0;
    for (int turn = 0; turn < STEPS; turn++)
        expected += size * one;
    return end(sum > expected * 0.999999 && sum < expected * 1.000001);
}
