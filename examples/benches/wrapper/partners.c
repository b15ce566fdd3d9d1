// What calls cost that have a partner: two ranks, spinning apart, each on a processor of its own. A message of 8 bytes one way, of
// exchanges there and back; collective calls of 8 bytes, nonblocking ones of 8 bytes and 1 KiB with their MPI_Wait. Prints
// "NAME nanoseconds" of the median block, and of the least.
// run: -n 2
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <string.h>

#include "measure.h"

enum { GOES = 400, CALLS = 250 };

static int rank;

// Each rank stays on one of the processors that the process may run on.
static void stay_apart(void)
{
    cpu_set_t all, own;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&own);
    for (int cpu = 0, number = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && number++ == rank)
            CPU_SET(cpu, &own);
    if (CPU_COUNT(&own))
        sched_setaffinity(0, sizeof own, &own);
}

// A go is as short as possible, so that many are not interrupted.
#define GO(name, per, ...)                                                 \
    do {                                                                   \
        static double goes[GOES];                                          \
        for (int go = 0; go < GOES; go++) {                                \
            MPI_Barrier(MPI_COMM_WORLD);                                   \
            double begin = now();                                          \
            for (int call = 0; call < CALLS; call++) {                     \
                __VA_ARGS__;                                               \
            }                                                              \
            goes[go] = (now() - begin) / (CALLS * (per));                  \
        }                                                                  \
        qsort(goes, GOES, sizeof *goes, ascending);                        \
        if (rank == 0)                                                     \
            printf("%s %.2f\n%s, least %.2f\n", name, goes[GOES / 2], name, goes[GOES / 50]); \
    } while (0)

int main(int argc, char **argv)
{
    static char out[1024], in[1024];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    stay_apart();
    GO("one-way message", 2,
       if (rank == 0) {
           MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
           MPI_Recv(in, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
       } else {
           MPI_Recv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
           MPI_Send(out, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
       });
    GO("MPI_Allreduce", 1, MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    GO("MPI_Barrier", 1, MPI_Barrier(MPI_COMM_WORLD));
    GO("MPI_Iallreduce", 1, MPI_Iallreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
       MPI_Wait(&request, MPI_STATUS_IGNORE));
    GO("MPI_Ialltoall 1 KiB", 1, MPI_Ialltoall(out, 512, MPI_BYTE, in, 512, MPI_BYTE, MPI_COMM_WORLD, &request);
       MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Finalize();
    return 0;
}
