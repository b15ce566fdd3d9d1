// Training with gradients that are applied one batch late, so that their sum over the ranks may take as long as the next batch. Batches take long on
// one rank and short on the other, in turn. Nothing moves during a batch, so that each sum ends only when both ranks wait for it. Cured: the
// batch looks into MPI now and then.
#include "third.h"

enum { WEIGHTS = 100000, BATCHES = 60, SLICES = 40 };

static double gradients[2][WEIGHTS], sums[2][WEIGHTS], weights[WEIGHTS];

static void backward(int batch, double *mine, MPI_Request *earlier)
{
    double milliseconds = batch % 2 == rank ? 12 : 4;
    for (int slice = 0; slice < SLICES; slice++) {
        int done;
        work_ms(milliseconds / SLICES);
        if (cured)
            MPI_Test(earlier, &done, MPI_STATUS_IGNORE); // let it move
    }
    for (int i = 0; i < WEIGHTS; i++)
        mine[i] = batch + rank + i % 3;
}

static void apply(const double *sum)
{
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] += sum[i];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    MPI_Request request = MPI_REQUEST_NULL;
    begin_loop();
    for (int batch = 0; batch < BATCHES; batch++) {
        backward(batch, gradients[batch % 2], &request);
        if (batch > 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE); // gradients of the batch before
            apply(sums[(batch - 1) % 2]);
        }
        MPI_Iallreduce(gradients[batch % 2], sums[batch % 2], WEIGHTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request); // gradients of this batch
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); // last gradients
    apply(sums[(BATCHES - 1) % 2]);
    int correct = 1;
    for (int i = 0; i < WEIGHTS; i++) {
        double expected = size * BATCHES * (i % 3) + BATCHES * size * (size - 1) / 2 + size * BATCHES * (BATCHES - 1) / 2;
        correct &= weights[i] == expected;
    }
    return end(correct);
}
