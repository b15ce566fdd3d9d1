// Each 40th step rank 0 packs the state of all ranks into a checkpoint while the others wait in the next reduction. Cured: each packs its own
// state.
#include "held_out.h"

enum { STEPS = 240, EVERY = 40, BYTES = 3000000 };

static unsigned char *state, *packed;

// Lengths of runs of equal bytes, behind the bytes.
static size_t pack(const unsigned char *from, size_t bytes)
{
    size_t length = 0;
    for (int pass = 0; pass < 12; pass++) {
        length = 0;
        for (size_t at = 0; at < bytes;) {
            size_t run = 1;
            while (at + run < bytes && run < 255 && from[at + run] == from[at])
                run++;
            packed[length++] = (unsigned char)run;
            packed[length++] = from[at];
            at += run;
        }
    }
    return length;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    state = malloc((size_t)size * BYTES);
    packed = malloc(2 * (size_t)size * BYTES);
    long length = 0;
    int correct = 1;
    for (int i = 0; i < BYTES; i++)
        state[i] = (unsigned char)(i / 5);
    begin_loop();
    for (int step = 1; step <= STEPS; step++) {
        correct &= grind(1500000) > 0;
        double residual = 1, sum;
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // residual
        correct &= sum == size;
        if (step % EVERY)
            continue;
        if (cured) {
            length += (long)pack(state, BYTES);
        } else {
            MPI_Gather(rank ? state : MPI_IN_PLACE, BYTES, MPI_BYTE, state, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD); // state
            if (rank == 0)
                length += (long)pack(state, (size_t)size * BYTES);
        }
    }
    long all;
    MPI_Allreduce(&length, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return end(correct && all == 2L * size * (STEPS / EVERY) * (BYTES / 5));
}
