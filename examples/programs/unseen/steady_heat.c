// Nothing is wrong: heat in a bar, borders on their way while the inner cells are computed, equal parts, and a norm every hundred steps.
#include "unseen.h"

enum { CELLS = 400000, STEPS = 2000 };

static double now[CELLS + 2], next[CELLS + 2];

static void inner(void)
{
    for (int i = 2; i < CELLS; i++)
        next[i] = now[i] + 0.2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double heat = 0, all = 0;
    for (int i = 1; i <= CELLS; i++)
        now[i] = i % 10;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[4];
        MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&now[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&now[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
        inner();
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); // borders
        next[1] = now[1] + 0.2 * (now[0] - 2 * now[1] + now[2]);
        next[CELLS] = now[CELLS] + 0.2 * (now[CELLS - 1] - 2 * now[CELLS] + now[CELLS + 1]);
        memcpy(now + 1, next + 1, CELLS * sizeof *now);
        if (step % 100 == 99) {
            heat = 0;
            for (int i = 1; i <= CELLS; i++)
                heat += now[i];
            MPI_Allreduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    double expected = 4.5 * CELLS * size;
    return end(all - expected < 1e-2 && expected - all < 1e-2);
}
