// Ranks that compute in a control group with a quota of processor time, and rank 0 says in how many of how many periods it was used up.
// Arguments: the folder of the group, which is empty for none.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double sink;

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void compute(double seconds)
{
    double end = processor_time() + seconds;
    while (processor_time() < end)
        for (int i = 0; i < 1000; i++)
            sink += i * 1e-9;
}

static FILE *in_group(const char *group, const char *name, const char *way)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return fopen(path, way);
}

static void read_periods(const char *group, long *periods, long *stopped)
{
    char name[64];
    long value;
    FILE *file = in_group(group, "cpu.stat", "r");
    while (file && fscanf(file, "%63s %ld", name, &value) == 2) {
        if (strcmp(name, "nr_periods") == 0)
            *periods = value;
        if (strcmp(name, "nr_throttled") == 0)
            *stopped = value;
    }
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    int rank;
    long before[2] = {0}, after[2] = {0};
    const char *group = argc > 1 ? argv[1] : "";
    FILE *file = *group ? in_group(group, "cgroup.procs", "w") : NULL;
    if (file) {
        fprintf(file, "%d\n", getpid());
        fclose(file);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    read_periods(group, &before[0], &before[1]);
    for (int step = 0; step < 20; step++) {
        compute(0.02);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    read_periods(group, &after[0], &after[1]);
    if (rank == 0)
        printf("%ld %ld\n", after[0] - before[0], after[1] - before[1]);
    MPI_Finalize();
    return 0;
}
