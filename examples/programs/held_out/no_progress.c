// Ranks begin large messages, compute, and wait; each has the longer computation in every other step. A message moves only while its receiver is in
// MPI, so that the sender waits for the longer one of each step. Cured: the computation looks into MPI every now and then.
#include "held_out.h"

enum { WIDTH = 120000, STEPS = 240, SLICES = 40 };

static double compute(long turns, MPI_Request *requests)
{
    double sum = 0;
    for (int slice = 0; slice < SLICES; slice++) {
        sum += grind(turns / SLICES);
        int done;
        if (cured)
            MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    }
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double *out = (double *)calloc(WIDTH, sizeof *out), *in = (double *)calloc(WIDTH, sizeof *in);
    int peer = rank ^ 1, correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        out[WIDTH - 1] = rank + step;
        MPI_Irecv(in, WIDTH, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, WIDTH, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[1]);
        correct &= compute((step + rank) % 2 ? 500000 : 4000000, requests) > 0;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // behind
        correct &= in[WIDTH - 1] == peer + step;
    }
    return end(correct);
}
