// Rank 0 collects a matrix row by row, one small message each, in a loop over ranks. Cured: one
// MPI_Gather.
#include "held_out.h"

enum { ROWS = 1500, WIDTH = 8, TIMES = 80 };

static double (*mine)[WIDTH], (*all)[WIDTH];

static void collect(void)
{
    if (rank != 0) {
        for (int row = 0; row < ROWS; row++)
            MPI_Send(mine[row], WIDTH, MPI_DOUBLE, 0, row, MPI_COMM_WORLD); // row
        return;
    }
    memcpy(all, mine, ROWS * sizeof *mine);
    for (int from = 1; from < size; from++)
        for (int row = 0; row < ROWS; row++)
            MPI_Recv(all[from * ROWS + row], WIDTH, MPI_DOUBLE, from, row, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // row of each
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    mine = malloc(ROWS * sizeof *mine);
    all = malloc((size_t)size * ROWS * sizeof *all);
    int correct = 1;
    begin_loop();
    for (int turn = 0; turn < TIMES; turn++) {
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < WIDTH; column++)
                mine[row][column] = turn + rank * ROWS + row;
        correct &= grind(500000) > 0;
        if (cured)
            MPI_Gather(mine, ROWS * WIDTH, MPI_DOUBLE, all, ROWS * WIDTH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        else
            collect();
        for (int row = 0; rank == 0 && row < size * ROWS; row++)
            correct &= all[row][WIDTH - 1] == turn + row;
    }
    return end(correct);
}
