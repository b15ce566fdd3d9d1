// Steps of work and a sum that all ranks take together, and what the process itself reads of its use of the machine.
// Arguments: who works (all, one, none: they sleep as long), and milliseconds of a step.
// Work is processor time, however long that takes.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { STEPS = 20 };

static double clock_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void work(double seconds)
{
    double until = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (clock_of(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static void rest(double seconds)
{
    struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

// Seconds of processor time, switches, faults, and seconds that the main thread was ready and did not run.
static void read_usage(double usage[6])
{
    struct rusage own;
    unsigned long long ran = 0, delayed = 0;
    getrusage(RUSAGE_SELF, &own);
    FILE *file = fopen("/proc/self/schedstat", "r");
    if (file == NULL || fscanf(file, "%llu %llu", &ran, &delayed) != 2)
        ran = 0;
    if (file != NULL)
        fclose(file);
    usage[0] = own.ru_utime.tv_sec + own.ru_utime.tv_usec / 1e6 + own.ru_stime.tv_sec + own.ru_stime.tv_usec / 1e6;
    usage[1] = own.ru_nvcsw;
    usage[2] = own.ru_nivcsw;
    usage[3] = own.ru_minflt;
    usage[4] = own.ru_majflt;
    usage[5] = ran == 0 ? -1 : delayed / 1e9;
}

int main(int argc, char **argv)
{
    int rank, size;
    double before[6], after[6], own = 1, sum;
    MPI_Init(&argc, &argv);
    read_usage(before);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *who = argc > 1 ? argv[1] : "all";
    double step = (argc > 2 ? atoi(argv[2]) : 10) / 1e3;
    for (int done = 0; done < STEPS; done++) {
        if (strcmp(who, "none") == 0 || (strcmp(who, "idle") == 0 && rank == 0))
            rest(step);
        else if (strcmp(who, "all") == 0 || (strcmp(who, "one") == 0 && rank == 0))
            work(step);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    double line[8] = {rank, CPU_COUNT(&allowed)};
    read_usage(after);
    for (int at = 0; at < 6; at++)
        line[at + 2] = after[at] - (before[at] < 0 ? 0 : before[at]);
    // A line of all ranks' figures, so that their outputs do not mix.
    double *lines = malloc(size * sizeof line);
    MPI_Gather(line, 8, MPI_DOUBLE, lines, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int of = 0; rank == 0 && of < size; of++) {
        double *usage = lines + 8 * of;
        printf("%.0f allowed %.0f processor %.6f voluntary %.0f involuntary %.0f minor %.0f major %.0f delay %.6f\n",
               usage[0], usage[1], usage[2], usage[3], usage[4], usage[5], usage[6], usage[7]);
    }
    free(lines);
    MPI_Finalize();
    return 0;
}
