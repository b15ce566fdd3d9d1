// Rank 0 produces rows and rank 1 uses them; each takes long for every other row. MPI_Send of a row, too large to be sent at once, ends only when rank 1
// takes it, so that both wait for the slower one of each row. Cured: MPI_Isend, completed one row later.
#include "held_out.h"

enum { WIDTH = 24000, ROWS = 240 };

static double work_of(int row)
{
    return grind(row % 2 ? 500000 : 4000000);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double *rows = calloc(2 * WIDTH, sizeof *rows);
    MPI_Request sent = MPI_REQUEST_NULL;
    int correct = 1;
    begin_loop();
    for (int row = 0; row < ROWS; row++) {
        double *one = rows + row % 2 * WIDTH;
        if (rank == 0) {
            correct &= work_of(row) > 0;
            one[WIDTH - 1] = row;
            if (cured) {
                MPI_Wait(&sent, MPI_STATUS_IGNORE);
                MPI_Isend(one, WIDTH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &sent);
            } else
                MPI_Send(one, WIDTH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // row
        } else {
            MPI_Recv(one, WIDTH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // take
            correct &= one[WIDTH - 1] == row && work_of(row) > 0;
        }
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    return end(correct);
}
