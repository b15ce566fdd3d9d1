// Rank 0 takes the messages of rank 1 last first, so that each receive looks past all others. The twin takes them first first.
// run: -n 2
// cannot: impi impiabi (it finds messages without looking past others: 0.8 us a receive, in either order)
// finding: wrong_order ranks 0 at MPI_Recv // last first
#include "planted_work.h"

enum { MESSAGES = 5000 };

int main(int argc, char **argv)
{
    static double out[MESSAGES], in;
    static MPI_Request requests[MESSAGES];
    begin(argc, argv);
    for (int step = 0; step < 3; step++) {
        for (int tag = 0; tag < MESSAGES; tag++) {
            // With less work between them they would be small messages in a row.
            if (tag % 3 == 0)
                work(0.00015);
            if (rank == 1)
                MPI_Isend(&out[tag], 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &requests[tag]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int message = 0; rank == 0 && message < MESSAGES; message++) {
            int tag = twin ? message : MESSAGES - 1 - message;
            MPI_Recv(&in, 1, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // last first
        }
        if (rank == 1)
            MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
