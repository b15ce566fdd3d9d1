// Diffusion on a ring of few cells per rank, with a halo of one cell, which is exchanged before each step of a fraction of a microsecond. Cured: a halo
// of 32 cells, exchanged every 32 steps, in between which ranks compute the halo's cells too.
#include "third.h"

enum { CELLS = 400, DEEP = 32, STEPS = 480000 };

static double even[CELLS + 2 * DEEP], odd[CELLS + 2 * DEEP];

static void exchange(double *u, int halo)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv(u + DEEP, halo, MPI_DOUBLE, left, 0, u + DEEP + CELLS, halo, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the left
    MPI_Sendrecv(u + DEEP + CELLS - halo, halo, MPI_DOUBLE, right, 1, u + DEEP - halo, halo, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the right
}

// `halo`: cells beyond the rank's own that are right afterwards.
static void diffuse(const double *restrict from, double *restrict to, int halo)
{
    for (int i = DEEP - halo; i < DEEP + CELLS + halo; i++)
        to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int halo = cured ? DEEP : 1;
    for (int i = 0; i < CELLS; i++)
        even[DEEP + i] = i < CELLS / 4;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        double *from = step % 2 ? odd : even, *to = step % 2 ? even : odd;
        if (step % halo == 0)
            exchange(from, halo);
        diffuse(from, to, halo - 1 - step % halo);
    }
    double mine = 0, all;
    for (int i = 0; i < CELLS; i++)
        mine += even[DEEP + i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double off = all - size * CELLS / 4;
    return end(off < 1e-6 && off > -1e-6);
}
