// A triangular sweep whose bands hand on each point of their last row by a message of its own. Cured: 200 points a message.
#include "held_out.h"

enum { ROWS = 24, COLUMNS = 4000, SWEEPS = 300 };

static double (*grid)[COLUMNS + 1];

static void relax(int rows, int from, int to)
{
    for (int column = from; column < to; column++)
        for (int row = 1; row <= rows; row++)
            grid[row][column + 1] =
                0.3 * grid[row - 1][column + 1] + 0.3 * grid[row][column] + 0.4 * grid[row][column + 1];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int rows = ROWS / size, width = cured ? 200 : 1;
    grid = malloc((rows + 1) * sizeof *grid);
    for (int row = 0; row <= rows; row++)
        for (int column = 0; column <= COLUMNS; column++)
            grid[row][column] = 1;
    begin_loop();
    for (int turn = 0; turn < SWEEPS; turn++) {
        for (int from = 0; from < COLUMNS; from += width) {
            if (rank > 0)
                MPI_Recv(&grid[0][from + 1], width, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // point
            relax(rows, from, from + width);
            if (rank + 1 < size)
                MPI_Send(&grid[rows][from + 1], width, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); // hand on
        }
    }
    double worst = 0;
    for (int column = 0; column <= COLUMNS; column++)
        worst += (grid[rows][column] - 1) * (grid[rows][column] - 1);
    return end(worst < 1e-18);
}
