// Advection on a line: each step gathers the whole state on every rank, of which the rank reads the two values beside its own part. Cured:
// the neighbors exchange these.
#include "unseen.h"

enum { CELLS = 150000, STEPS = 3000 };

static double own[CELLS], *state;

static void neighbors(double *left, double *right)
{
    int before = (rank + size - 1) % size, after = (rank + 1) % size;
    if (cured) {
        MPI_Sendrecv(&own[CELLS - 1], 1, MPI_DOUBLE, after, 0, left, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&own[0], 1, MPI_DOUBLE, before, 1, right, 1, MPI_DOUBLE, after, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Allgather(own, CELLS, MPI_DOUBLE, state, CELLS, MPI_DOUBLE, MPI_COMM_WORLD); // whole state
    *left = state[before * CELLS + CELLS - 1];
    *right = state[after * CELLS];
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    state = malloc((size_t)size * sizeof own);
    for (int i = 0; i < CELLS; i++)
        own[i] = i % 100;
    double before = 0, after = 0, all_before, all_after;
    for (int i = 0; i < CELLS; i++)
        before += own[i];
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        double left, right, last;
        neighbors(&left, &right);
        last = left;
        for (int i = 0; i < CELLS; i++) {
            double next = i + 1 < CELLS ? own[i + 1] : right, here = own[i];
            own[i] = 0.5 * here + 0.25 * (last + next);
            last = here;
        }
    }
    for (int i = 0; i < CELLS; i++)
        after += own[i];
    MPI_Allreduce(&before, &all_before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&after, &all_after, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(state);
    return end(all_after - all_before < 1e-3 && all_before - all_after < 1e-3);
}
