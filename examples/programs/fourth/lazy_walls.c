// A flow whose turbulence model is switched on after 40 steps, and then needs each cell's distance from the wall. The cells along the wall are rank 1's,
// which computes all distances in that step, while rank 0 waits. Cured: both compute half of them, in that step too.
#include "../third/third.h"
#include <math.h>

enum { CELLS = 18000, FACETS = 20000, STEPS = 150, SWITCHED_ON = 40, BORDER = 100 };

static double distance[CELLS], facet[FACETS][2];

static void build_wall(void)
{
    for (int f = 0; f < FACETS; f++) {
        facet[f][0] = f * 1.0 / FACETS;
        facet[f][1] = 0.01 * (random_of((unsigned)f) % 100) / 100;
    }
}

static void measure(int first, int behind)
{
    for (int c = first; c < behind; c++) {
        double x = (c % 300) / 300.0, y = 0.02 + (c / 300) / 30.0, nearest = 1e9;
        for (int f = 0; f < FACETS; f++) {
            double dx = x - facet[f][0], dy = y - facet[f][1], square = dx * dx + dy * dy;
            nearest = square < nearest ? square : nearest;
        }
        distance[c] = sqrt(nearest);
    }
}

static void distances_from_wall(void)
{
    if (!cured) {
        if (rank == 1)
            measure(0, CELLS);
        return;
    }
    measure(rank * CELLS / 2, (rank + 1) * CELLS / 2);
    if (rank == 0)
        MPI_Send(distance, CELLS / 2, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); // rank 0's half
    else
        MPI_Recv(distance, CELLS / 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // the other half
}

static void exchange(double *mine, double *theirs)
{
    MPI_Sendrecv(mine, BORDER, MPI_DOUBLE, 1 - rank, 0, theirs, BORDER, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // border
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double mine[BORDER] = {0}, theirs[BORDER], sum = 0;
    build_wall();
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (step == SWITCHED_ON)
            distances_from_wall();
        work_ms(3);
        mine[0] = step;
        exchange(mine, theirs);
    }
    for (int c = 0; c < CELLS; c++)
        sum += distance[c];
    return end(theirs[0] == STEPS - 1 && (rank == 0 || (sum > 0.9 * CELLS && sum < 1.1 * CELLS)));
}
