// Each solve duplicates its communicator and keeps it, as a library does whose state is never freed. The twin duplicates it once.
// run: -n 2
// finding: leak ranks - at MPI_Comm_dup // its own
#include "planted_work.h"

static MPI_Comm own = MPI_COMM_NULL;

static double solve(double start)
{
    double sum;
    if (!twin || own == MPI_COMM_NULL)
        MPI_Comm_dup(MPI_COMM_WORLD, &own); // its own
    work(0.002);
    MPI_Allreduce(&start, &sum, 1, MPI_DOUBLE, MPI_SUM, own);
    return sum;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    // Eight ranks on two cores take some 80 ms to make one.
    int solves = size > 2 ? 40 : 400;
    for (int at = 0; at < solves; at++)
        sink += solve(at);
    return end();
}
