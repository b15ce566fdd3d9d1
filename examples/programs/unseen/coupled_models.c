// Atmosphere and ocean exchange fluxes every step. Three ranks share the atmosphere and one has the ocean, which takes as long in all, so
// that the atmosphere waits at each exchange. Cured: two ranks each. The four ranks wait for accelerators.
#include "unseen.h"

enum { EXCHANGES = 130, CELLS = 500 };

static const double ATMOSPHERE_S = 0.012, OCEAN_S = 0.012;

static MPI_Comm component;
static int component_rank, component_size;

static void ocean_step(double *temperature)
{
    rest(OCEAN_S / component_size);
    for (int cell = 0; cell < CELLS; cell++)
        temperature[cell] += 0.5;
}

static void atmosphere_step(double *wind, const double *temperature)
{
    rest(ATMOSPHERE_S / component_size);
    for (int cell = 0; cell < CELLS; cell++)
        wind[cell] = temperature[cell] + 1;
}

// The first rank of each component speaks for it.
static void couple(const double *own, double *other, int partner)
{
    if (component_rank == 0)
        MPI_Sendrecv(own, CELLS, MPI_DOUBLE, partner, 0, other, CELLS, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // fluxes
    MPI_Bcast(other, CELLS, MPI_DOUBLE, 0, component); // to the component
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int atmosphere_ranks = cured ? size / 2 : size - 1, is_ocean = rank >= atmosphere_ranks;
    MPI_Comm_split(MPI_COMM_WORLD, is_ocean, rank, &component);
    MPI_Comm_rank(component, &component_rank);
    MPI_Comm_size(component, &component_size);
    double temperature[CELLS] = {0}, wind[CELLS] = {0};
    begin_loop();
    for (int step = 0; step < EXCHANGES; step++) {
        if (is_ocean) {
            ocean_step(temperature);
            couple(temperature, wind, 0);
        } else {
            atmosphere_step(wind, temperature);
            couple(wind, temperature, atmosphere_ranks);
        }
    }
    MPI_Comm_free(&component);
    return end(temperature[CELLS - 1] == 0.5 * EXCHANGES);
}
