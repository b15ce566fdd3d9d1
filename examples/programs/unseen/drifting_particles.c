// Particles drift to the right in a box that is cut in the middle: the ranks begin with as many, and in the end rank 1
// has nearly all. Cured: the cut follows the particles.
#include "unseen.h"

enum { PARTICLES = 40000, STEPS = 700, BINS = 200 };

struct particle {
    double x, v;
};

static struct particle own[2 * PARTICLES], leaving[2 * PARTICLES];
static int count;
static double cut = 0.5;

static void push(void)
{
    for (int i = 0; i < count; i++) {
        spend(60); // the field where it is
        own[i].x += own[i].v;
        if (own[i].x >= 1)
            own[i].x = 0.9999;
    }
}

static void migrate(void)
{
    int gone = 0, kept = 0, coming, other = 1 - rank;
    for (int i = 0; i < count; i++) {
        if ((own[i].x >= cut) != rank)
            leaving[gone++] = own[i];
        else
            own[kept++] = own[i];
    }
    MPI_Sendrecv(&gone, 1, MPI_INT, other, 0, &coming, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // how many
    MPI_Sendrecv(leaving, gone * 2, MPI_DOUBLE, other, 1, own + kept, coming * 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // particles
    count = kept + coming;
}

static void move_cut(void)
{
    int histogram[BINS] = {0}, sum = 0, bin = 0;
    for (int i = 0; i < count; i++)
        histogram[(int)(own[i].x * BINS)]++;
    MPI_Allreduce(MPI_IN_PLACE, histogram, BINS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (bin < BINS && sum + histogram[bin] < PARTICLES)
        sum += histogram[bin++];
    cut = (bin + (PARTICLES - sum) / (histogram[bin] + 1e-9)) / BINS;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    count = PARTICLES;
    for (int i = 0; i < count; i++) {
        own[i].x = (rank + (i + 0.5) / PARTICLES) / 2;
        own[i].v = 0.0002 + (random_of(i) % 1000) * 1e-6;
    }
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        push();
        if (cured && step % 10 == 0)
            move_cut();
        migrate();
    }
    int all;
    MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return end(all == 2 * PARTICLES);
}
