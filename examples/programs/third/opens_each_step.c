// A history file that is opened, added to and closed again in every step, lest anything be lost. Cured: opened and closed once.
#include "third.h"

enum { STEPS = 2500, NUMBERS = 256 };

static MPI_File history;

static void open_history(void)
{
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_File_open(MPI_COMM_WORLD, P_tmpdir "/opens_each_step.dat", mode, MPI_INFO_NULL, &history); // open the history
}

static void close_history(void)
{
    MPI_File_close(&history); // close the history
}

static void write_history(int step)
{
    double numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = step + rank;
    if (!cured)
        open_history();
    MPI_Offset at = (MPI_Offset)(step * size + rank) * sizeof numbers;
    MPI_File_write_at(history, at, numbers, NUMBERS, MPI_DOUBLE, MPI_STATUS_IGNORE); // add a step
    if (!cured)
        close_history();
}

// Reads what the other rank has written.
static int is_right(void)
{
    double number;
    int correct = 1, other = size - 1 - rank;
    open_history();
    for (int step = 0; step < STEPS; step++) {
        MPI_Offset at = (MPI_Offset)(step * size + other) * NUMBERS * sizeof number;
        MPI_File_read_at(history, at, &number, 1, MPI_DOUBLE, MPI_STATUS_IGNORE); // look at a step
        correct &= number == step + other;
    }
    close_history();
    return correct;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    if (cured)
        open_history();
    for (int step = 0; step < STEPS; step++) {
        work_ms(0.05);
        write_history(step);
    }
    if (cured)
        close_history();
    int correct = is_right();
    MPI_Barrier(MPI_COMM_WORLD); // all have looked
    int status = end(correct);
    if (rank == 0)
        unlink(P_tmpdir "/opens_each_step.dat");
    return status;
}
