// Nothing is wrong: a matrix product whose ranks own rows, and hand on blocks of the right-hand matrix around a ring while they multiply by the
// block that they have. Equal parts, and messages of little size beside the work.
#include "third.h"

enum { N = 640, PRODUCTS = 8 };

static double *left, *product, *blocks[2];
static int rows;

static void multiply(const double *block, int first)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++) {
            double factor = left[i * N + first + k];
            for (int j = 0; j < N; j++)
                product[i * N + j] += factor * block[k * N + j];
        }
}

static void multiply_in_ring(void)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, has = rank;
    for (int shift = 0; shift < size; shift++) {
        MPI_Request requests[2];
        double *here = blocks[shift % 2], *coming = blocks[1 - shift % 2];
        MPI_Irecv(coming, rows * N, MPI_DOUBLE, previous, shift, MPI_COMM_WORLD, &requests[0]); // coming block
        MPI_Isend(here, rows * N, MPI_DOUBLE, next, shift, MPI_COMM_WORLD, &requests[1]); // block that goes on
        multiply(here, has * rows);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // shifted
        has = (has + size - 1) % size;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    rows = N / size;
    left = malloc(sizeof(double) * rows * N);
    product = calloc((size_t)rows * N, sizeof(double));
    blocks[0] = malloc(sizeof(double) * rows * N);
    blocks[1] = malloc(sizeof(double) * rows * N);
    for (int i = 0; i < rows * N; i++) {
        left[i] = i % N == rank * rows + i / N ? 2 : 1; // ones, and the identity
        blocks[0][i] = rank * rows + i / N;
    }
    begin_loop();
    for (int p = 0; p < PRODUCTS; p++)
        multiply_in_ring();
    int correct = 1;
    for (int i = 0; i < rows * N; i++)
        correct &= product[i] == PRODUCTS * (N * (N - 1) / 2.0 + rank * rows + i / N);
    return end(correct);
}
