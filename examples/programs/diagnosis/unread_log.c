// Rank 1 sends three lines of log to rank 0 in each step, which reads them all at the end: meanwhile it looks past them for each message of the
// computation. In the twin it reads them in each step.
// run: -n 2
// cannot: impi impiabi (it finds messages without looking past others)
// finding: untaken ranks 0 at MPI_Send // log
#include "planted_work.h"

enum { LINES = 3 };

static double line[4];

static void read_lines(void)
{
    for (int at = 0; at < LINES; at++)
        MPI_Recv(line, 4, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // read
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // Ranks that share cores change them at each message.
    int steps = size > 2 ? 1500 : 3000;
    for (int step = 0; step < steps; step++) {
        work(0.00003);
        for (int at = 0; rank == 1 && at < LINES; at++)
            MPI_Send(line, 4, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD); // log
        double out = step, in;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, &in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sink += in;
        if (rank == 0 && twin)
            read_lines();
    }
    for (int step = 0; rank == 0 && !twin && step < steps; step++)
        read_lines();
    return end();
}
