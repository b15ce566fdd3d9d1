// How long the longest of a million calls in a row take: a few of them make a page of records ready. Prints "CALL microseconds" of the
// longest call in each row of 256, where CALL is the number of the row's first one.
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
