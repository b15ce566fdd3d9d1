// Each step posts a receive for a result of its own, which rank 0 sends behind the last step: the library looks past all of them for each message.
// The twin exchanges them there in one message.
// run: -n 2
// finding: drift ranks - at MPI_Irecv // result
#include "planted_work.h"

enum { STEPS = 3000 };

static double results[STEPS];
static MPI_Request requests[STEPS];

static void post(int step)
{
    MPI_Irecv(&results[step], 1, MPI_DOUBLE, (rank + 1) % size, 1000 + step, MPI_COMM_WORLD, &requests[step]); // result
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // Ranks that share cores change them at each message.
    int steps = size > 2 ? STEPS / 2 : STEPS;
    for (int step = 0; step < steps; step++) {
        if (!twin)
            post(step);
        work(0.00003);
        double out = step, in;
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, &in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE); // border
        sink += in;
    }
    if (twin) {
        static double own[STEPS];
        MPI_Sendrecv(own, steps, MPI_DOUBLE, (rank + size - 1) % size, 1000, results, steps, MPI_DOUBLE, (rank + 1) % size, 1000,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return end();
    }
    for (int step = 0; step < steps; step++)
        MPI_Send(&sink, 1, MPI_DOUBLE, (rank + size - 1) % size, 1000 + step, MPI_COMM_WORLD);
    MPI_Waitall(steps, requests, MPI_STATUSES_IGNORE);
    return end();
}
