// Each sum makes a communicator of its own, and frees it. The twin makes it once.
// run: -n 2
// finding: made_again ranks - at MPI_Comm_split // splits
#include "planted_work.h"

static MPI_Comm kept = MPI_COMM_NULL;

static double summed(double own)
{
    double sum;
    if (kept == MPI_COMM_NULL)
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &kept); // splits
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, kept);
    if (!twin)
        MPI_Comm_free(&kept);
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // Eight ranks on two cores take some 80 ms to make one.
    int steps = size > 2 ? 20 : 400;
    for (int step = 0; step < steps; step++) {
        work(0.001);
        for (int field = 0; field < 3; field++)
            sink += summed(field);
    }
    if (kept != MPI_COMM_NULL)
        MPI_Comm_free(&kept);
    return end();
}
