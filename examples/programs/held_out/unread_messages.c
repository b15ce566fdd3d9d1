// Rank 1 sends a line of log each step, which rank 0 reads only at the end; meanwhile each message of the computation is looked for behind all
// of these. Cured: rank 0 reads the line in each step.
#include "held_out.h"

enum { STEPS = 4000, MESSAGES = 3 };

static void read_line(int step, int *correct)
{
    int line[8];
    MPI_Recv(line, 8, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // read
    *correct &= line[0] == step;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1, line[8] = {0};
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        line[0] = step;
        if (rank == 1)
            MPI_Send(line, 8, MPI_INT, 0, 7, MPI_COMM_WORLD); // log
        for (int message = 0; message < MESSAGES; message++) {
            int mine = step, others = -1;
            if (rank == 1) {
                MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                MPI_Recv(&others, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(&others, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // behind the log
                MPI_Send(&mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            }
            correct &= others == step;
        }
        if (rank == 0 && cured)
            read_line(step, &correct);
        correct &= grind(5000) > 0;
    }
    for (int step = 0; rank == 0 && !cured && step < STEPS; step++)
        read_line(step, &correct);
    return end(correct);
}
