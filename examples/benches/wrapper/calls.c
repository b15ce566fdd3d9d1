// What a call costs: each function a million times, in blocks; prints "NAME nanoseconds" of the median block.
// run: -n 1
#include <mpi.h>

#include "measure.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int flag, rank, in = 1, out;
    char bytes[16] = {0};
    MPI_Request request = MPI_REQUEST_NULL, both[2];
    MEASURE("MPI_Comm_rank", 1, MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MEASURE("MPI_Iprobe", 1, MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    MEASURE("MPI_Test", 1, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    MEASURE("MPI_Allreduce", 1, MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    MEASURE("Isend+Irecv+Waitall", 3, MPI_Irecv(bytes, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[0]);
            MPI_Isend(bytes + 8, 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    MPI_Finalize();
    return 0;
}
