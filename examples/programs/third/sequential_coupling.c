// Atmosphere and ocean on a rank each. The ocean takes its step with the fluxes of the atmosphere's step, and the atmosphere its next one with the sea
// surface of that step, so that one of them always waits. Cured: both step at the same time, with what the other had
// at the last exchange.
#include "third.h"

enum { STEPS = 100, POINTS = 500 };

static double air[POINTS], sea[POINTS], fluxes[POINTS], surface[POINTS];

// Both relax to what the other is at, and to a climate: the air to 2 and the sea to 5 in the end.
static void step_air(void)
{
    for (int i = 0; i < POINTS; i++)
        air[i] = 0.4 * air[i] + 0.2 * surface[i] + 0.2;
    work_ms(4);
}

static void step_sea(void)
{
    for (int i = 0; i < POINTS; i++)
        sea[i] = 0.4 * sea[i] + 0.5 * fluxes[i] + 2;
    work_ms(4);
}

static void couple(void)
{
    if (rank == 0) {
        step_air();
        MPI_Send(air, POINTS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // to the ocean
        MPI_Recv(surface, POINTS, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // sea surface
    } else {
        MPI_Recv(fluxes, POINTS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // fluxes
        step_sea();
        MPI_Send(sea, POINTS, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD); // to the atmosphere
    }
}

static void couple_at_once(void)
{
    double *mine = rank == 0 ? air : sea, *theirs = rank == 0 ? surface : fluxes;
    MPI_Sendrecv(mine, POINTS, MPI_DOUBLE, 1 - rank, 2, theirs, POINTS, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // both ways
    if (rank == 0)
        step_air();
    else
        step_sea();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (cured)
            couple_at_once();
        else
            couple();
    }
    double off = rank == 0 ? air[POINTS / 2] - 2 : sea[POINTS / 2] - 5;
    return end(off < 1e-9 && off > -1e-9);
}
