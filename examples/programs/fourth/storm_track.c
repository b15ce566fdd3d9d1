// Weather on ranks that own 32 columns each. A storm crosses the domain during the run, and the physics of a column in it takes six times as long, so that
// the rank below the storm is the slow one for half of the run, and then the other. Cured: the columns are dealt out to both ranks for their physics,
// and come back.
#include "../third/third.h"

enum { COLUMNS = 32, RANKS = 2, DEALT = COLUMNS / RANKS, STORM = 12, STEPS = 96, FAIR = 1, STORMY = 6 };

static double column[COLUMNS + 2], dealt[COLUMNS];

static int weather(int which, int step)
{
    int behind_front = (which - step * COLUMNS * RANKS / STEPS + COLUMNS * RANKS) % (COLUMNS * RANKS);
    return behind_front < STORM ? STORMY : FAIR;
}

static void exchange(void)
{
    int west = (rank + size - 1) % size, east = (rank + 1) % size;
    MPI_Sendrecv(&column[1], 1, MPI_DOUBLE, west, 0, &column[COLUMNS + 1], 1, MPI_DOUBLE, east, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the west
    MPI_Sendrecv(&column[COLUMNS], 1, MPI_DOUBLE, east, 1, &column[0], 1, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the east
}

static void dynamics(void)
{
    double west = column[0];
    for (int c = 1; c <= COLUMNS; c++) {
        double here = column[c];
        column[c] = here + 0.2 * (west - 2 * here + column[c + 1]);
        west = here;
    }
    work_ms(0.2);
}

// Column c of `some` is column first + c * stride of the domain.
static void physics(double *some, int first, int stride, int step)
{
    int units = 0;
    for (int c = 0; c < COLUMNS; c++) {
        int here = weather(first + c * stride, step);
        some[c] += here;
        units += here;
    }
    work_ms(0.06 * units);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double mine = 0, all, expected = 0;
    MPI_Datatype every_second, next; // columns r, r + 2, r + 4 and so on, which go to rank r
    MPI_Type_vector(DEALT, 1, RANKS, MPI_DOUBLE, &every_second);
    MPI_Type_create_resized(every_second, 0, sizeof(double), &next);
    MPI_Type_commit(&next);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        exchange();
        dynamics();
        if (!cured) {
            physics(column + 1, rank * COLUMNS, 1, step);
            continue;
        }
        MPI_Alltoall(column + 1, 1, next, dealt, DEALT, MPI_DOUBLE, MPI_COMM_WORLD); // columns to their physics
        physics(dealt, rank, RANKS, step);
        MPI_Alltoall(dealt, DEALT, MPI_DOUBLE, column + 1, 1, next, MPI_COMM_WORLD); // and back
    }
    MPI_Type_free(&next);
    MPI_Type_free(&every_second);
    for (int c = 1; c <= COLUMNS; c++)
        mine += column[c];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < STEPS * COLUMNS * RANKS; i++)
        expected += weather(i % (COLUMNS * RANKS), i / (COLUMNS * RANKS));
    return end(all - expected < 1e-6 && expected - all < 1e-6);
}
