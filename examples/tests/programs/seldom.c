// A component of the progress engine, registered with low priority: Open MPI calls it in every eighth entry. Prints how often
// it was called, and for how many nanoseconds.
// run: -n 1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ENTRIES = 80000, LEAST = 50000 };

static long calls, took;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int take_long(void)
{
    long begin = now(), end;
    do
        end = now();
    while (end - begin < LEAST);
    calls++;
    took += end - begin;
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int (*progress)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "opal_progress");
    int (*call_seldom)(int (*)(void)) = (int (*)(int (*)(void)))dlsym(RTLD_DEFAULT, "opal_progress_register_lp");
    int (*call_no_more)(int (*)(void)) = (int (*)(int (*)(void)))dlsym(RTLD_DEFAULT, "opal_progress_unregister");
    call_seldom(take_long);
    for (int entry = 0; entry < ENTRIES; entry++)
        progress();
    call_no_more(take_long);
    printf("%ld %ld\n", calls, took);
    MPI_Finalize();
    return 0;
}
