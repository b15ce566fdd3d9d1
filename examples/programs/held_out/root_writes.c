// Each output step rank 0 formats and writes the numbers of all ranks, and the others wait for its word to go on. Cured: every rank formats
// its own, into a file of its own.
#include "held_out.h"

enum { COUNT = 60000, STEPS = 30 };

static FILE *file;
static long lines;

static void write_out(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%d %.9e\n", i, values[i]);
    fflush(file);
    lines += count;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double *mine = malloc(COUNT * sizeof *mine), *all = malloc((size_t)size * COUNT * sizeof *all);
    file = tmpfile();
    int correct = file != NULL;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < COUNT; i++)
            mine[i] = step + i * 1e-3;
        correct &= grind(10000000) > 0;
        if (cured)
            write_out(mine, COUNT);
        else {
            MPI_Gather(mine, COUNT, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD); // collect
            if (rank == 0)
                write_out(all, size * COUNT);
        }
        int go_on = step;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD); // go on
    }
    long all_lines;
    MPI_Allreduce(&lines, &all_lines, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    fclose(file);
    return end(correct && all_lines == (long)STEPS * size * COUNT);
}
