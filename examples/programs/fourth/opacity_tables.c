// Radiation with a table of opacities, of which rank 0 refines a few rows in each step, as the temperatures ask for. All ranks receive the whole table
// in each step. Cured: the numbers of the rows that changed, and these rows.
#include "../third/third.h"

enum { ROWS = 600, COLUMNS = 1000, CHANGED = 5, STEPS = 400, RAYS = 250000 };

static double (*table)[COLUMNS];
static int changed[CHANGED];

static void refine(int step)
{
    for (int c = 0; c < CHANGED; c++) {
        changed[c] = (step * CHANGED + c) * 7 % ROWS;
        for (int i = 0; i < COLUMNS; i++)
            table[changed[c]][i] += 1;
    }
}

static void hand_out(void)
{
    if (!cured) {
        MPI_Bcast(table, ROWS * COLUMNS, MPI_DOUBLE, 0, MPI_COMM_WORLD); // whole table
        return;
    }
    double rows[CHANGED][COLUMNS];
    MPI_Bcast(changed, CHANGED, MPI_INT, 0, MPI_COMM_WORLD); // which rows
    for (int c = 0; c < CHANGED; c++)
        memcpy(rows[c], table[changed[c]], sizeof rows[c]);
    MPI_Bcast(rows, CHANGED * COLUMNS, MPI_DOUBLE, 0, MPI_COMM_WORLD); // these rows
    for (int c = 0; c < CHANGED; c++)
        memcpy(table[changed[c]], rows[c], sizeof rows[c]);
}

static double trace(int step)
{
    double light = 0;
    unsigned at = random_of((unsigned)(step * size + rank));
    for (int r = 0; r < RAYS; r++) {
        at = at * 1664525u + 1013904223u;
        unsigned row = (at >> 8) % ROWS, column = (at >> 12) % (COLUMNS - 1);
        light = light * 0.999 + 0.5 * (table[row][column] + table[row][column + 1]);
    }
    return light;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    table = calloc(ROWS, sizeof *table);
    double light = 0;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0)
            refine(step);
        hand_out();
        light += trace(step);
    }
    double sum = 0;
    for (int r = 0; r < ROWS; r++)
        sum += table[r][COLUMNS - 1];
    return end(sum == STEPS * CHANGED && light > 0);
}
