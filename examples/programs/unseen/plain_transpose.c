// Nothing is wrong: a transform that sends half of its numbers to the other rank in one MPI_Alltoall of megabytes per direction. The
// memory sets the pace.
#include "unseen.h"

enum { ROWS = 512, COLUMNS = 1024, STEPS = 300 };

static double field[ROWS][COLUMNS], sent[2][ROWS][COLUMNS / 2], arrived[2][ROWS][COLUMNS / 2];

static void transform(int step)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            field[row][column] = step + rank + column * 1e-3;
    spend(1500000);
}

static void transpose(void)
{
    for (int to = 0; to < 2; to++)
        for (int row = 0; row < ROWS; row++)
            memcpy(sent[to][row], &field[row][to * COLUMNS / 2], sizeof sent[to][row]);
    MPI_Alltoall(sent, sizeof sent[0], MPI_BYTE, arrived, sizeof arrived[0], MPI_BYTE, MPI_COMM_WORLD); // blocks
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        transform(step);
        transpose();
        double expected = step + (1 - rank) + (rank * COLUMNS / 2 + 7) * 1e-3;
        correct &= arrived[1 - rank][3][7] == expected;
    }
    return end(correct);
}
