// Large messages are begun before the computation that should hide them, and move only in MPI_Waitall.
// run: -n 2
// finding: unprogressed ranks - at MPI_Waitall // behind
#include "planted_work.h"

enum { BYTES = 8 << 20 };

int main(int argc, char **argv)
{
    static char in[BYTES], out[BYTES];
    MPI_Request requests[2];
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        MPI_Irecv(in, BYTES, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[1]);
        for (int piece = 0, done = 0; piece < 50; piece++) {
            work(0.0002);
            if (twin)
                MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // behind
    }
    return end();
}
