// How long the longest calls take, of a million in a row: the page of records that one fills is made ready by others. Prints
// "WINDOW microseconds" of the longest call in each row of 256, where WINDOW is the number of the row's first call.
// run: -n 1
#include <mpi.h>
#include <stdio.h>

#include "measure.h"

enum { CALLS = 1000000, ROW = 256 };

static double ends[CALLS + 1];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int in = 1, out;
    for (int call = 0; call <= CALLS; call++)
        ends[call] = 0;
    for (int call = 0; call <= CALLS; call++) {
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        ends[call] = now();
    }
    for (int row = 0; row + ROW <= CALLS; row += ROW) {
        double longest = 0;
        for (int call = row; call < row + ROW; call++)
            if (ends[call + 1] - ends[call] > longest)
                longest = ends[call + 1] - ends[call];
        printf("%d %.2f\n", row, longest * 1e-3);
    }
    MPI_Finalize();
    return 0;
}
