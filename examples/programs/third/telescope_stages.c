// The pipeline behind a radio telescope, a rank per stage, each with an accelerator. Blocks are too large to be sent before they are received. Stage 1
// also removes interference, which takes it three times as long as the others: stage 0 waits to send, the later ones to receive. Cured: each
// stage removes the interference in a quarter of the block.
#include "third.h"

enum { BLOCKS = 25, SAMPLES = 20000, STAGES = 4, LOUD = 1000 };

static int block[SAMPLES];

static void remove_interference(int from, int to)
{
    for (int i = from; i < to; i++)
        if (block[i] >= LOUD)
            block[i] %= LOUD;
    offload_ms(16.0 * (to - from) / SAMPLES);
}

static void channelize(void)
{
    if (cured)
        remove_interference(rank * SAMPLES / STAGES, (rank + 1) * SAMPLES / STAGES);
    else if (rank == 1)
        remove_interference(0, SAMPLES);
    offload_ms(8);
}

static int sample(int number, int i)
{
    return (number + i) % 7 + (i % 50 == number % 50 ? LOUD : 0);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int number = 0; number < BLOCKS; number++) {
        if (rank > 0)
            MPI_Recv(block, SAMPLES, MPI_INT, rank - 1, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // from the stage before
        else
            for (int i = 0; i < SAMPLES; i++)
                block[i] = sample(number, i);
        channelize();
        if (rank + 1 < size) {
            MPI_Send(block, SAMPLES, MPI_INT, rank + 1, number, MPI_COMM_WORLD); // to the next stage
            continue;
        }
        for (int i = 0; i < SAMPLES; i++)
            correct &= block[i] == (number + i) % 7;
    }
    return end(correct);
}
