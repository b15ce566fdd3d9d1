// A cloud of particles moves through a domain whose halves belong to the ranks: in each step one rank has nearly all of them, and over the run
// both have as many. Cured: particles belong to ranks by their number.
#include "held_out.h"

enum { PARTICLES = 20000, STEPS = 200, TURNS = 300 };

static double place_of(int particle, int step)
{
    double spread = 0.2 * particle / PARTICLES, place = spread + 0.02 * step;
    return place - (long)place;
}

// Pushes this rank's particles, and returns their number.
static long push(int step)
{
    long pushed = 0;
    for (int particle = 0; particle < PARTICLES; particle++) {
        int owner = cured ? particle % size : (int)(place_of(particle, step) * size);
        if (owner == rank && grind(TURNS) > 0)
            pushed++;
    }
    return pushed;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        long mine = push(step), all;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); // field
        correct &= all == PARTICLES;
    }
    return end(correct);
}
