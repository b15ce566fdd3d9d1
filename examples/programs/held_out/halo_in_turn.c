// Four ranks exchange borders with the left neighbor first, then with the right one, by blocking calls: rank 1 begins with its right one when rank 0 is
// done, rank 2 after that, and so on. Cured: all four messages at the same time.
#include "held_out.h"

enum { WIDTH = 30000, STEPS = 200 };

static double send[2][WIDTH], take[2][WIDTH];

static void exchange(const int *peers)
{
    if (cured) {
        MPI_Request requests[4];
        for (int side = 0; side < 2; side++) {
            MPI_Irecv(take[side], WIDTH, MPI_DOUBLE, peers[side], 0, MPI_COMM_WORLD, &requests[side]);
            MPI_Isend(send[side], WIDTH, MPI_DOUBLE, peers[side], 0, MPI_COMM_WORLD, &requests[2 + side]);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int side = 0; side < 2; side++)
        MPI_Sendrecv(send[side], WIDTH, MPI_DOUBLE, peers[side], 0, take[side], WIDTH, MPI_DOUBLE, peers[side], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // border
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int peers[2] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL};
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        send[0][WIDTH - 1] = send[1][WIDTH - 1] = rank + step;
        exchange(peers);
        for (int side = 0; side < 2; side++)
            correct &= peers[side] == MPI_PROC_NULL || take[side][WIDTH - 1] == peers[side] + step;
        rest(0.002);
    }
    return end(correct);
}
