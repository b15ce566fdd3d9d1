// LU factorization without pivoting, panels of columns dealt out to four ranks in turn, updates on accelerators. The owner of the next panel updates
// all of its columns before it factors that panel, and the others wait for the panel meanwhile. Cured: it updates and factors
// the next panel first, and the panel is on its way during the other updates.
#include "third.h"

enum { WIDTH = 2, PANELS = 32, N = WIDTH * PANELS };

typedef double Panel[WIDTH][N];

static Panel matrix[PANELS], factors[PANELS];

static double element(int row, int column)
{
    return row == column ? 2 * N : 1 + random_of((unsigned)(row * N + column)) % 100 / 100.0;
}

static int owner(int panel)
{
    return panel % size;
}

static void factor(int panel)
{
    for (int c = 0; c < WIDTH; c++) {
        int diagonal = panel * WIDTH + c;
        for (int row = diagonal + 1; row < N; row++) {
            matrix[panel][c][row] /= matrix[panel][c][diagonal];
            for (int later = c + 1; later < WIDTH; later++)
                matrix[panel][later][row] -= matrix[panel][c][row] * matrix[panel][later][diagonal];
        }
    }
    offload_ms(6);
    memcpy(factors[panel], matrix[panel], sizeof(Panel));
}

static void update(int panel, int by)
{
    for (int c = 0; c < WIDTH; c++)
        for (int k = 0; k < WIDTH; k++) {
            int pivot = by * WIDTH + k;
            for (int row = pivot + 1; row < N; row++)
                matrix[panel][c][row] -= factors[by][k][row] * matrix[panel][c][pivot];
        }
    offload_ms(2);
}

static void eliminate(void)
{
    for (int p = 0; p < PANELS; p++) {
        if (rank == owner(p))
            factor(p);
        MPI_Bcast(factors[p], WIDTH * N, MPI_DOUBLE, owner(p), MPI_COMM_WORLD); // panel
        for (int later = p + 1; later < PANELS; later++)
            if (rank == owner(later))
                update(later, p);
    }
}

static void eliminate_with_look_ahead(void)
{
    if (rank == owner(0))
        factor(0);
    MPI_Bcast(factors[0], WIDTH * N, MPI_DOUBLE, owner(0), MPI_COMM_WORLD); // first panel
    for (int p = 0; p + 1 < PANELS; p++) {
        MPI_Request next;
        if (rank == owner(p + 1)) {
            update(p + 1, p);
            factor(p + 1);
        }
        MPI_Ibcast(factors[p + 1], WIDTH * N, MPI_DOUBLE, owner(p + 1), MPI_COMM_WORLD, &next); // next panel
        for (int later = p + 2; later < PANELS; later++)
            if (rank == owner(later)) {
                int here;
                MPI_Test(&next, &here, MPI_STATUS_IGNORE); // on its way
                update(later, p);
            }
        MPI_Wait(&next, MPI_STATUS_IGNORE); // next panel here
    }
}

// L times U is the matrix.
static int is_right(void)
{
    double worst = 0;
    for (int p = rank; p < PANELS; p += size)
        for (int c = 0; c < WIDTH; c++)
            for (int row = 0; row < N; row++) {
                int column = p * WIDTH + c;
                double sum = row <= column ? matrix[p][c][row] : 0;
                for (int k = 0; k < row && k <= column; k++)
                    sum += factors[k / WIDTH][k % WIDTH][row] * matrix[p][c][k];
                double off = sum - element(row, column);
                worst = off > worst ? off : -off > worst ? -off : worst;
            }
    return worst < 1e-9;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int p = rank; p < PANELS; p += size)
        for (int c = 0; c < WIDTH; c++)
            for (int row = 0; row < N; row++)
                matrix[p][c][row] = element(row, p * WIDTH + c);
    begin_loop();
    if (cured)
        eliminate_with_look_ahead();
    else
        eliminate();
    return end(is_right());
}
