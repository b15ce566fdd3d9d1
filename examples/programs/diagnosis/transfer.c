// Ranks move much data between little computation, and none is late. The twin moves little.
// run: -n 2
// finding: transfer ranks - at MPI_Alltoall // much
#include "planted_work.h"

enum { MUCH = 32 << 20, LITTLE = 4 << 10 };

int main(int argc, char **argv)
{
    static char in[MUCH], out[MUCH];
    begin(argc, argv);
    int each = (twin ? LITTLE : MUCH) / size;
    for (int step = 0; step < 20; step++) {
        work(0.010);
        MPI_Alltoall(out, each, MPI_BYTE, in, each, MPI_BYTE, MPI_COMM_WORLD); // much
    }
    return end();
}
