// The transpose between the two halves of a Fourier transform: the block for the other rank is packed by an MPI_Pack for each
// number. Cured: a loop copies the numbers.
#include "unseen.h"

#define ROWS 64
#define STEPS 500

static double field[ROWS][2 * ROWS], block[ROWS * ROWS], arrived[ROWS * ROWS];

static void butterfly(int step)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < 2 * ROWS; column++)
            field[row][column] = step + 1000.0 * (rank * ROWS + row) + column;
    spend(100000);
}

static void pack_block(int to)
{
    int position = 0;
    for (int column = to * ROWS; column < (to + 1) * ROWS; column++)
        for (int row = 0; row < ROWS; row++) {
            if (cured)
                block[(column - to * ROWS) * ROWS + row] = field[row][column];
            else
                MPI_Pack(&field[row][column], 1, MPI_DOUBLE, block, sizeof block, &position, MPI_COMM_WORLD); // one number
        }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int other = 1 - rank, correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        butterfly(step);
        pack_block(other);
        MPI_Sendrecv(block, sizeof block, MPI_BYTE, other, 0, arrived, sizeof arrived, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // block
        // My column 5 of the other's row 9.
        correct &= arrived[5 * ROWS + 9] == step + 1000.0 * (other * ROWS + 9) + rank * ROWS + 5;
    }
    return end(correct);
}
