// One MPI_Alltoallv of so much that the progress engine moves it in many pieces.
// run: -n 2
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 64 << 20 };

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = malloc(size * sizeof *counts), *places = malloc(size * sizeof *places);
    for (int rank = 0; rank < size; rank++) {
        counts[rank] = BYTES / size;
        places[rank] = BYTES / size * rank;
    }
    char *out = calloc(BYTES, 1), *in = calloc(BYTES, 1);
    MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
