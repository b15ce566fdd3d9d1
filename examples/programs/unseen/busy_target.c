// Rank 0 reads a table of rank 1 under a lock, while rank 1 computes for milliseconds without a call: the library reads it when rank 1 enters
// MPI again. Cured: rank 1 looks into MPI every 50 microseconds.
// cannot: ompi4 (it reads the memory of the other process itself, and nothing is lost)
#include "unseen.h"

enum { STEPS = 160, SLICES = 120, TABLE = 4096 };

static double table[TABLE], copy[TABLE];

static void integrate(void)
{
    for (int slice = 0; slice < SLICES; slice++) {
        spend(20000);
        int flag;
        if (cured)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static void look_up(MPI_Win window, int from)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); // lock
    MPI_Get(copy, 256, MPI_DOUBLE, 1, from, 256, MPI_DOUBLE, window); // read
    MPI_Win_unlock(1, window); // unlock
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int i = 0; i < TABLE; i++)
        table[i] = i;
    MPI_Win window;
    MPI_Win_create(table, rank == 1 ? sizeof table : 0, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 1)
            integrate();
        for (int i = 0; rank == 0 && i < 4; i++) {
            look_up(window, 256 * i);
            correct &= copy[17] == 256 * i + 17;
            spend(600000);
        }
        MPI_Barrier(MPI_COMM_WORLD); // step
    }
    MPI_Win_free(&window);
    return end(correct);
}
