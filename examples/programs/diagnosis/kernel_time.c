// Each rank makes its arrays anew in every step, of memory that the system takes back behind it: the kernel clears all pages again.
// run: -n 2
// finding: kernel_time ranks -
#include "planted_work.h"

#include <sys/mman.h>

enum { BYTES = 12 << 20, PAGE = 4096 };

static char *mapped(void)
{
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || madvise(pages, BYTES, MADV_NOHUGEPAGE) != 0)
        exit(3);
    return pages;
}

int main(int argc, char **argv)
{
    double error = 1, most;
    begin(argc, argv);
    char *kept = mapped();
    memset(kept, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 40; step++) {
        char *array = twin ? kept : mapped();
        for (size_t at = 0; at < BYTES; at += PAGE)
            array[at] = (char)step;
        if (!twin)
            munmap(array, BYTES);
        work(0.006);
        MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return end();
}
