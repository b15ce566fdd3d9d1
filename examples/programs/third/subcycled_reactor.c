// Heat in a reactor of 64 cells, which exchange heat with their neighbors once per step and subcycle their chemistry on accelerators. The flame lies in
// the first cells, which belong to rank 0 and take four subcycles each; rank 1 waits for rank 0, rank 2 for rank 1, and rank 3 for
// rank 2. Cured: cuts by subcycles instead of by cells.
#include "third.h"

enum { CELLS = 64, FLAME = 12, STEPS = 30 };

static double heat[CELLS + 2];
static int first, behind;

static void cut(void)
{
    const int by_cells[] = {0, 16, 32, 48, 64}, by_subcycles[] = {0, 6, 12, 38, 64};
    first = (cured ? by_subcycles : by_cells)[rank];
    behind = (cured ? by_subcycles : by_cells)[rank + 1];
}

// Cell c is heat[c + 1].
static void exchange(void)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    heat[first] = heat[first + 1];
    heat[behind + 1] = heat[behind];
    MPI_Sendrecv(&heat[first + 1], 1, MPI_DOUBLE, left, 0, &heat[behind + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the left
    MPI_Sendrecv(&heat[behind], 1, MPI_DOUBLE, right, 1, &heat[first], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the right
}

static void conduct(void)
{
    double before = heat[first];
    for (int c = first; c < behind; c++) {
        double old = heat[c + 1];
        heat[c + 1] += 0.2 * (before - 2 * old + heat[c + 2]);
        before = old;
    }
}

static void react(void)
{
    int subcycles = 0;
    for (int c = first; c < behind; c++)
        subcycles += c < FLAME ? 4 : 1;
    offload_ms(0.4 * subcycles);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    cut();
    for (int c = 0; c < CELLS; c++)
        heat[c + 1] = c < FLAME ? 10 : 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        exchange();
        conduct();
        react();
    }
    double mine = 0, all;
    for (int c = first; c < behind; c++)
        mine += heat[c + 1];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double off = all - (10 * FLAME + CELLS - FLAME);
    return end(off < 1e-9 && off > -1e-9);
}
