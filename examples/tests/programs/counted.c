// Rank 0 touches fresh memory between two calls of MPI, and each rank says how many page faults its thread had from MPI_Init to the end.
// run: -n 2
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGES = 4000, PAGE = 4096 };

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long before = faults();
    MPI_Barrier(MPI_COMM_WORLD);
    char *fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(fresh, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int page = 0; rank == 0 && page < PAGES; page++)
        fresh[page * PAGE] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %ld\n", rank, faults() - before);
    MPI_Finalize();
    return 0;
}
