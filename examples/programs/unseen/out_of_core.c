// Rank 1 has too little memory: it writes its block to a file in each step, and makes sure that it is on disk. Cured: it writes as much, and
// leaves the time of the transfer to the system.
#include "unseen.h"

enum { BLOCK = 1 << 16, STEPS = 750 };

static double block[BLOCK];

static void swap_out(FILE *file, int step)
{
    rewind(file);
    if (fwrite(block, sizeof *block, BLOCK, file) != BLOCK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fflush(file);
    if (!cured || step == STEPS - 1)
        fsync(fileno(file));
}

static double swap_in(FILE *file)
{
    rewind(file);
    if (fread(block, sizeof *block, BLOCK, file) != BLOCK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return block[BLOCK - 1];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    FILE *file = rank == 1 ? tmpfile() : NULL;
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BLOCK; i++)
            block[i] = step + rank;
        spend(rank == 1 ? 800000 : 900000);
        if (file) {
            swap_out(file, step);
            swap_in(file);
        }
        double edge = block[BLOCK - 1], sum;
        MPI_Allreduce(&edge, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // edges
        correct &= sum == size * step + size * (size - 1) / 2.0;
    }
    if (file)
        fclose(file);
    return end(correct);
}
