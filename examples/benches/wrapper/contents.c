// What a checksum costs: a message to the own rank, by MPI_Sendrecv, so each byte is read where it leaves and where it arrives. Prints
// "BYTES nanoseconds" of the median block, for bytes one after another, and for every second int.
// run: -n 1
#include <mpi.h>
#include <string.h>

#include "measure.h"

enum { MOST = 1 << 20 };

static char out[2 * MOST], in[2 * MOST];

int main(int argc, char **argv)
{
    MPI_Datatype gaps;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(1024, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    memset(out, 1, sizeof out);
    for (int bytes = 8; bytes <= MOST; bytes *= bytes == 8 ? 512 : 16) {
        char name[32];
        int times = bytes < MOST ? 200 : 20;
        snprintf(name, sizeof name, "%8d", bytes);
        MEASURE_TIMES(name, 1, times, MPI_Sendrecv(out, bytes, MPI_BYTE, 0, 0, in, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                                                   MPI_STATUS_IGNORE));
        if (bytes % 4096)
            continue;
        snprintf(name, sizeof name, "%8d with gaps", bytes);
        MEASURE_TIMES(name, 1, times, MPI_Sendrecv(out, bytes / 4096, gaps, 0, 0, in, bytes / 4096, gaps, 0, 0,
                                                   MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
    MPI_Type_free(&gaps);
    MPI_Finalize();
    return 0;
}
