// Writes a border into the neighbor's memory, in a window that is made and freed in each step. Cured: made once.
#include "unseen.h"

enum { BORDER = 128, STEPS = 4000 };

static double mine[BORDER], ghost[BORDER];

static MPI_Win window = MPI_WIN_NULL;

static void put_border(int to)
{
    if (window == MPI_WIN_NULL)
        MPI_Win_create(ghost, sizeof ghost, sizeof *ghost, MPI_INFO_NULL, MPI_COMM_WORLD, &window); // window
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window); // open
    MPI_Put(mine, BORDER, MPI_DOUBLE, to, 0, BORDER, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window); // close
    if (!cured)
        MPI_Win_free(&window); // free
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1, right = (rank + 1) % size, left = (rank + size - 1) % size;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BORDER; i++)
            mine[i] = 1000 * rank + step;
        spend(25000);
        put_border(right);
        correct &= ghost[BORDER - 1] == 1000 * left + step;
    }
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    return end(correct);
}
