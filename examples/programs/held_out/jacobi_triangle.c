// Jacobi on a triangular domain, whose rows get longer downwards, divided into blocks of as many rows each. Cured: into
// blocks of as many points.
#include "held_out.h"
#include <math.h>

enum { ROWS = 1400, SWEEPS = 600 };

static double (*now)[ROWS + 2], (*next)[ROWS + 2];

// One sweep over rows first to last; row r has r points.
static void sweep(int first, int last)
{
    for (int row = first; row <= last; row++)
        for (int column = 1; column <= row; column++)
            next[row][column] =
                0.25 * (now[row - 1][column] + now[row + 1][column] + now[row][column - 1] + now[row][column + 1]);
}

static int first_row(int of)
{
    if (of == size)
        return ROWS + 1;
    return 1 + (int)(ROWS * (cured ? sqrt((double)of / size) : (double)of / size));
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    now = calloc(ROWS + 2, sizeof *now);
    next = calloc(ROWS + 2, sizeof *next);
    for (int row = 0; row < ROWS + 2; row++)
        for (int column = 0; column < ROWS + 2; column++)
            now[row][column] = next[row][column] = 1.0;
    int first = first_row(rank), last = first_row(rank + 1) - 1;
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    begin_loop();
    for (int turn = 0; turn < SWEEPS; turn++) {
        MPI_Sendrecv(now[first], ROWS + 2, MPI_DOUBLE, above, 0, now[last + 1], ROWS + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // up
        MPI_Sendrecv(now[last], ROWS + 2, MPI_DOUBLE, below, 1, now[first - 1], ROWS + 2, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // down
        sweep(first, last);
        double (*other)[ROWS + 2] = now;
        now = next;
        next = other;
    }
    // Ones stay ones.
    double sum = 0;
    for (int row = first; row <= last; row++)
        for (int column = 1; column <= row; column++)
            sum += now[row][column];
    double points = 0.5 * last * (last + 1.0) - 0.5 * first * (first - 1.0);
    return end(sum == points);
}
