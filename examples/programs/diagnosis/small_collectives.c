// Each element of a vector is summed by a call of its own.
// run: -n 2
// finding: small_collectives ranks - at MPI_Allreduce // element
#include "planted_work.h"

enum { MOST = 2000 };

int main(int argc, char **argv)
{
    double own[MOST] = {0}, sum[MOST];
    begin(argc, argv);
    // Eight ranks on two cores take a turn of the scheduler for each call.
    int elements = size > 2 ? 60 : MOST;
    for (int step = 0; step < 40; step++) {
        work(0.004);
        if (twin)
            MPI_Allreduce(own, sum, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int element = 0; !twin && element < elements; element++)
            MPI_Allreduce(&own[element], &sum[element], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // element
    }
    return end();
}
