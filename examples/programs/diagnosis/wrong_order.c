// In each step rank 0 waits for the late part of the others' results while their early part is there. The twin takes the early part
// first, and works meanwhile.
// run: -n 2
// finding: wrong_order ranks 0 at MPI_Recv // in turn
#include "planted_work.h"

enum { EARLY, LATE };

int main(int argc, char **argv)
{
    // Results of one length would be a gather made by hand.
    double *part = calloc(64, sizeof *part);
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        work(rank == 0 ? 0.008 : 0.002);
        for (int turn = EARLY; turn <= LATE; turn++) {
            if (rank > 0) {
                MPI_Send(part, rank, MPI_DOUBLE, 0, turn, MPI_COMM_WORLD);
                work(turn == EARLY ? 0.014 : 0);
                continue;
            }
            int wanted = twin ? turn : LATE - turn;
            for (int from = 1; from < size; from++)
                MPI_Recv(part, from, MPI_DOUBLE, from, wanted, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // in turn
            if (wanted == EARLY)
                work(0.008);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
