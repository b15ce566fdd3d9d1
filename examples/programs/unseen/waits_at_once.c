// A border that takes one rank long, in each step the other one's turn, is received with MPI_Irecv and waited for at once, before the inner
// cells, which do not need it. Cured: inner cells first.
#include "unseen.h"

enum { EDGE = 60, STEPS = 220 };

static double edge[EDGE], ghost[EDGE];

static void compute_edge(int step)
{
    for (int i = 0; i < EDGE; i++)
        edge[i] = step * 10 + rank;
    // Shocks go to and fro.
    spend(step % 2 == rank ? 1600000 : 100000);
}

static void compute_inner(void)
{
    spend(1600000);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int other = 1 - rank, correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        MPI_Irecv(ghost, EDGE, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[0]);
        compute_edge(step);
        MPI_Isend(edge, EDGE, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[1]);
        if (cured)
            compute_inner();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // at once
        if (!cured)
            compute_inner();
        correct &= ghost[EDGE - 1] == step * 10 + other;
    }
    return end(correct);
}
