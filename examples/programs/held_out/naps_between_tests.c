// Two ranks work in turn on a token; who waits looks for it by MPI_Test, and sleeps for 2 ms between two looks to be kind to others. Cured:
// MPI_Wait.
#include "held_out.h"

enum { TURNS = 400 };

static void await(MPI_Request *request)
{
    int here = 0;
    if (cured) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Test(request, &here, MPI_STATUS_IGNORE);
    while (!here) {
        rest(0.002);
        MPI_Test(request, &here, MPI_STATUS_IGNORE); // look
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int token = 0, correct = 1;
    begin_loop();
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn % size == rank) {
            correct &= token == turn && grind(250000) > 0;
            token++;
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        } else if ((turn + 1) % size == rank) {
            MPI_Request request;
            MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
            await(&request);
        }
    }
    return end(correct);
}
