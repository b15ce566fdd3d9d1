// Rank 1 maps a fresh work array in every step, so that the kernel zeroes each of its pages at the first touch; rank 0 reuses its own. Cured: both
// reuse it.
#include "held_out.h"
#include <sys/mman.h>

enum { BYTES = 24 << 20, STEPS = 120 };

static char *fresh(void)
{
    return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long fill(char *work, int step)
{
    long sum = 0;
    for (long at = 0; at < BYTES; at += 512)
        work[at] = (char)step;
    for (long at = 0; at < BYTES; at += 512)
        sum += work[at];
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    char *work = fresh();
    fill(work, 1);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 1 && !cured) {
            munmap(work, BYTES);
            work = fresh();
        }
        long mine = fill(work, step), all;
        correct &= grind(1500000) > 0;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); // sum
        correct &= all == (long)size * step * (BYTES / 512);
    }
    return end(correct);
}
