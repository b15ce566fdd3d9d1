// Each step exchanges far more data than its work needs time for.
// run: -n 2
// finding: transfer ranks - at MPI_Alltoall // exchange
#include "planted_work.h"

enum { LARGE = 1 << 23, SMALL = 1 << 12 };

int main(int argc, char **argv)
{
    begin(argc, argv);
    int bytes = (twin ? SMALL : LARGE) / size;
    char *own = calloc(size, bytes), *others = calloc(size, bytes);
    for (int step = 0; step < 30; step++) {
        work(0.004);
        MPI_Alltoall(own, bytes, MPI_BYTE, others, bytes, MPI_BYTE, MPI_COMM_WORLD); // exchange
    }
    free(own);
    free(others);
    return end();
}
