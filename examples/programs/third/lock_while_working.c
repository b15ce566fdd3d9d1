// Rank 0 hosts the tiles of a matrix, which both ranks read, change and write back. A rank keeps the exclusive lock of the window while it works on a
// tile, and the other waits for the lock, though its tile is another one. Cured: locks for reading and for writing only, and shared ones, since
// a tile belongs to one rank. Ranks look into MPI while they work, so that rank 0's library answers.
#include "third.h"

enum { TILES = 8, NUMBERS = 256, UPDATES = 100, SLICES = 60 };

static void change(double *tile)
{
    for (int i = 0; i < NUMBERS; i++)
        tile[i] += 1;
    for (int slice = 0; slice < SLICES; slice++) {
        int any;
        work_ms(3.0 / SLICES);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE); // let it move
    }
}

static void update_tile(MPI_Win window, int which)
{
    double tile[NUMBERS];
    MPI_Aint at = (MPI_Aint)which * NUMBERS;
    MPI_Win_lock(cured ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window); // lock the tiles
    MPI_Get(tile, NUMBERS, MPI_DOUBLE, 0, at, NUMBERS, MPI_DOUBLE, window); // read the tile
    MPI_Win_flush(0, window); // the tile is here
    if (cured) {
        MPI_Win_unlock(0, window); // after reading
        change(tile);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window); // to write
    } else {
        change(tile);
    }
    MPI_Put(tile, NUMBERS, MPI_DOUBLE, 0, at, NUMBERS, MPI_DOUBLE, window); // write the tile
    MPI_Win_unlock(0, window); // unlock the tiles
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    MPI_Win window;
    double *tiles;
    MPI_Win_allocate(rank == 0 ? TILES * NUMBERS * sizeof(double) : 0, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &tiles, &window);
    if (rank == 0)
        memset(tiles, 0, TILES * NUMBERS * sizeof(double));
    begin_loop();
    for (int update = 0; update < UPDATES; update++)
        update_tile(window, rank + size * (update % (TILES / 2)));
    MPI_Barrier(MPI_COMM_WORLD); // all updates
    int correct = 1;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window); // look
        for (int i = 0; i < TILES * NUMBERS; i++)
            correct &= tiles[i] == UPDATES / (TILES / 2);
        MPI_Win_unlock(0, window); // looked
    }
    MPI_Win_free(&window);
    return end(correct);
}
