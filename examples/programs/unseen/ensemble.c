// An ensemble of forecasts whose members take longer the higher their resolution. Each rank gets a block of the list, which is sorted by
// resolution; results are collected once at the end. Cured: members are dealt out one by one. Four ranks wait for accelerators.
#include "unseen.h"

#define MEMBERS 32

static double forecast(int member)
{
    rest(0.012 + 0.0045 * member);
    return 1.0 / (1 + member);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int share = MEMBERS / size;
    double scores[MEMBERS], mine[MEMBERS];
    begin_loop();
    for (int i = 0; i < share; i++) {
        int member = cured ? i * size + (i % 2 ? size - 1 - rank : rank) : rank * share + i;
        mine[i] = forecast(member);
    }
    MPI_Gather(mine, share, MPI_DOUBLE, scores, share, MPI_DOUBLE, 0, MPI_COMM_WORLD); // collect
    double sum = 0, expected = 0;
    for (int i = 0; i < MEMBERS; i++) {
        sum += rank == 0 ? scores[i] : 0;
        expected += 1.0 / (1 + i);
    }
    // Only the root has the scores.
    return end(rank != 0 || (sum - expected < 1e-9 && expected - sum < 1e-9));
}
