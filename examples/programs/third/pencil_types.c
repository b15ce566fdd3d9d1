// The transpose of a spectral code by MPI_Alltoallw: a datatype describes the transposed block number by number, and the library collects the numbers one
// by one. Cured: a blocked loop transposes, and MPI_Alltoall sends what lies in a row.
#include "third.h"

enum { N = 1024, TRANSPOSES = 150, TILE = 16 };

static int rows;
static double *field, *turned, *packed;
static MPI_Datatype block_out, block_in;

static void make_types(void)
{
    MPI_Datatype column, narrow;
    MPI_Type_vector(rows, 1, N, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
    MPI_Type_contiguous(rows, narrow, &block_out);
    MPI_Type_vector(rows, rows, N, MPI_DOUBLE, &block_in);
    MPI_Type_commit(&block_out);
    MPI_Type_commit(&block_in);
    MPI_Type_free(&column);
    MPI_Type_free(&narrow);
}

static void transpose_by_types(void)
{
    int ones[2] = {1, 1}, at[2] = {0, rows * (int)sizeof(double)};
    MPI_Datatype out[2] = {block_out, block_out}, in[2] = {block_in, block_in};
    MPI_Alltoallw(field, ones, at, out, turned, ones, at, in, MPI_COMM_WORLD); // transposed block
}

static void transpose_by_tiles(void)
{
    for (int top = 0; top < rows; top += TILE)
        for (int left = 0; left < N; left += TILE)
            for (int c = left; c < left + TILE; c++)
                for (int r = top; r < top + TILE; r++)
                    packed[c * rows + r] = field[r * N + c];
    MPI_Alltoall(packed, rows * rows, MPI_DOUBLE, field, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD); // blocks
    for (int from = 0; from < size; from++)
        for (int c = 0; c < rows; c++)
            memcpy(&turned[c * N + from * rows], &field[(from * rows + c) * rows], rows * sizeof(double));
}

static void transpose(void)
{
    if (cured)
        transpose_by_tiles();
    else
        transpose_by_types();
    double *old = field;
    field = turned;
    turned = old;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    rows = N / size;
    field = malloc(sizeof(double) * rows * N);
    turned = malloc(sizeof(double) * rows * N);
    packed = malloc(sizeof(double) * rows * N);
    make_types();
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < N; c++)
            field[r * N + c] = (rank * rows + r) * N + c;
    begin_loop();
    for (int turn = 0; turn < TRANSPOSES + 1; turn++) {
        work_ms(0.3);
        transpose();
    }
    int correct = 1;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < N; c++)
            correct &= field[r * N + c] == c * N + rank * rows + r;
    MPI_Type_free(&block_out);
    MPI_Type_free(&block_in);
    return end(correct);
}
