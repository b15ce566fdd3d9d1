// What plugin.c loads: sends around a ring, and asks MPI for its version, which the recorder sees only through this
// library's own slot.
#include <mpi.h>

int communicate(void)
{
    int rank, size, length, in, sum, wrong = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i < 10; i++) {
        int out = 100 * i + rank;
        MPI_Sendrecv(&out, 1, MPI_INT, next, i, &in, 1, MPI_INT, previous, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != 100 * i + previous;
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Get_library_version(text, &length);
    return wrong + (sum != size * (size - 1) / 2) + (length < 1);
}
