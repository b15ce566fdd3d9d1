// Gaussian elimination with rows in blocks: the first rank is done when its last row was the pivot, and idles from then on. Cured: rows
// are dealt out in turn.
#include "held_out.h"

enum { N = 1300 };

static double *row_of[N];

static int owner(int row)
{
    return cured ? row % size : row / ((N + size - 1) / size);
}

static void eliminate(int pivot, const double *with)
{
    for (int row = pivot + 1; row < N; row++) {
        if (!row_of[row])
            continue;
        double factor = row_of[row][pivot] / with[pivot];
        for (int column = pivot; column < N; column++)
            row_of[row][column] -= factor * with[column];
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // The matrix min(i, j), whose elimination leaves ones on and above the diagonal.
    for (int row = 0; row < N; row++) {
        if (owner(row) != rank)
            continue;
        row_of[row] = malloc(N * sizeof(double));
        for (int column = 0; column < N; column++)
            row_of[row][column] = 1 + (row < column ? row : column);
    }
    double pivot_row[N];
    begin_loop();
    for (int pivot = 0; pivot < N; pivot++) {
        if (row_of[pivot])
            memcpy(pivot_row, row_of[pivot], sizeof pivot_row);
        MPI_Bcast(pivot_row, N, MPI_DOUBLE, owner(pivot), MPI_COMM_WORLD); // pivot row
        eliminate(pivot, pivot_row);
    }
    int correct = 1;
    for (int row = 0; row < N; row++)
        for (int column = row; row_of[row] && column < N; column++)
            correct &= row_of[row][column] == 1;
    return end(correct);
}
