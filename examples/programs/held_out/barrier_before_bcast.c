// Rank 0 prepares a block and broadcasts it, the others use it; both take as long on average, but not block by block. A barrier before
// each broadcast makes everybody wait for the slower one of each block. Cured: no barrier.
#include "held_out.h"

enum { BLOCKS = 200, WIDTH = 32 };

static double prepare(int block)
{
    return grind((long)(random_of(2 * (unsigned)block) % 3000) * 1000);
}

static double use(int block)
{
    return grind((long)(random_of(2 * (unsigned)block + 1) % 3000) * 1000);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double values[WIDTH] = {0};
    int correct = 1;
    begin_loop();
    for (int block = 0; block < BLOCKS; block++) {
        if (rank == 0) {
            correct &= prepare(block) > 0;
            values[0] = block;
        }
        if (!cured)
            MPI_Barrier(MPI_COMM_WORLD); // before
        MPI_Bcast(values, WIDTH, MPI_DOUBLE, 0, MPI_COMM_WORLD); // block
        if (rank != 0)
            correct &= values[0] == block && use(block) > 0;
    }
    return end(correct);
}
