// A stencil on accelerators, whose ranks copy planes of 8 MB back and forth between steps. The cells inside need no plane, but the accelerator gets all cells
// when the planes have come, and idles until then. Cured: it computes those inside meanwhile.
#include "../third/third.h"

enum { PLANE = 1000000, STEPS = 120 };

static double *mine, *theirs, device_is_free_at;

// Returns at once, as launches do.
static void launch(double milliseconds)
{
    double now = MPI_Wtime();
    device_is_free_at = (device_is_free_at > now ? device_is_free_at : now) + milliseconds / 1e3;
}

static void synchronize(void)
{
    double left = device_is_free_at - MPI_Wtime();
    if (left > 0)
        rest(left);
}

static void exchange(void)
{
    int other = size - 1 - rank;
    MPI_Sendrecv(mine, PLANE, MPI_DOUBLE, other, 0, theirs, PLANE, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // planes
}

static void step(int number)
{
    mine[0] = mine[PLANE - 1] = number;
    if (cured)
        launch(3); // inside
    exchange();
    if (!cured)
        launch(3); // inside, too
    launch(0.3); // beside the planes
    synchronize();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    mine = malloc(sizeof(double) * PLANE);
    theirs = malloc(sizeof(double) * PLANE);
    memset(mine, 0, sizeof(double) * PLANE);
    memset(theirs, 0, sizeof(double) * PLANE);
    begin_loop();
    for (int s = 0; s < STEPS; s++)
        step(s);
    return end(theirs[0] == STEPS - 1 && theirs[PLANE - 1] == STEPS - 1);
}
