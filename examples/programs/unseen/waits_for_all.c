// Rank 0 renders the tiles that three ranks send. It waits until it has all of them before it looks at the first. Cured: it takes each as it
// arrives. Its ranks wait for accelerators.
#include "unseen.h"

enum { FRAMES = 60, PIXELS = 400 };

static int tiles[4][PIXELS];

static int render(const int *tile)
{
    rest(0.005);
    return tile[0];
}

static int compose(int frame)
{
    MPI_Request requests[3];
    int sum = 0, n = size - 1;
    for (int i = 0; i < n; i++)
        MPI_Irecv(tiles[i], PIXELS, MPI_INT, i + 1, frame, MPI_COMM_WORLD, &requests[i]);
    if (!cured)
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE); // all tiles
    for (int i = 0; i < n; i++) {
        int which = i;
        if (cured)
            MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
        sum += render(tiles[which]);
    }
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int frame = 0; frame < FRAMES; frame++) {
        int sum = 0;
        if (rank == 0) {
            sum = compose(frame);
        } else {
            rest(0.001 + 0.005 * rank); // the scene is deeper on the right
            tiles[rank][0] = frame + rank;
            MPI_Send(tiles[rank], PIXELS, MPI_INT, 0, frame, MPI_COMM_WORLD);
        }
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD); // shown
        correct &= sum == (size - 1) * frame + size * (size - 1) / 2;
    }
    return end(correct);
}
