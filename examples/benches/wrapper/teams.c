// What a parallel region costs: with nothing in it, with a barrier, and two in turn, which are no run of one region.
// run: -n 1
#include <mpi.h>

#include "measure.h"

enum { REGIONS = 2000 };

static void empty(void)
{
#pragma omp parallel num_threads(2)
    __asm__ volatile("");
}

static void meets(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MEASURE_TIMES("2 threads", 1, REGIONS, empty());
    MEASURE_TIMES("2 threads, barrier", 1, REGIONS, meets());
    MEASURE_TIMES("2 threads, two regions", 2, REGIONS, empty(); meets());
    MPI_Finalize();
    return 0;
}
