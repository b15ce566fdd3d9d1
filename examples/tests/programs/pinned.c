// Both ranks bind themselves to the first core that rank 0 may use, and compute for 600 ms of processor time in turns of
// barriers.
// run: -n 2
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <time.h>

static double processor(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    cpu_set_t allowed, first;
    int core = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    while (!CPU_ISSET(core, &allowed))
        core++;
    MPI_Init(&argc, &argv);
    MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (int i = 0; i < 30; i++) {
        for (double until = processor() + 0.02; processor() < until;)
            ;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
