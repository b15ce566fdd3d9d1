// A region of fine cells in a model of coarse ones, on a rank each. The coarse model has the region's boundary after a tenth of its step, but sends it
// at the end, and then waits for what the region gives back. Cured: it sends the boundary when it has it, and both work at the same time.
#include "../third/third.h"

enum { STEPS = 90, POINTS = 800, BOUNDARY, FEEDBACK };

static double coarse[POINTS], fine[POINTS];

static void send_boundary(void)
{
    MPI_Send(coarse, POINTS, MPI_DOUBLE, 1, BOUNDARY, MPI_COMM_WORLD); // boundary of the region
}

static void step_coarse(void)
{
    for (int i = 0; i < POINTS; i++)
        coarse[i] += 1;
    work_ms(0.4);
    if (cured)
        send_boundary();
    work_ms(3.6);
    if (!cured)
        send_boundary();
    MPI_Recv(fine, POINTS, MPI_DOUBLE, 1, FEEDBACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // feedback
    for (int i = 0; i < POINTS; i++)
        coarse[i] = 0.5 * (coarse[i] + fine[i]);
}

static void step_fine(void)
{
    work_ms(0.4); // the inside, which needs no boundary
    MPI_Recv(coarse, POINTS, MPI_DOUBLE, 0, BOUNDARY, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // boundary
    for (int i = 0; i < POINTS; i++)
        fine[i] = coarse[i];
    work_ms(3.6);
    MPI_Send(fine, POINTS, MPI_DOUBLE, 0, FEEDBACK, MPI_COMM_WORLD); // to the coarse model
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0)
            step_coarse();
        else
            step_fine();
    }
    return end(coarse[POINTS - 1] == STEPS && fine[0] == STEPS);
}
