// In 6 of 100 steps rank 1 is interrupted for 45 ms; in all others its work is that of the rest.
// run: -n 2
// finding: sporadic_delay ranks 1 at MPI_Allreduce // sum
#include "planted_work.h"

int main(int argc, char **argv)
{
    double local = 1, sum;
    begin(argc, argv);
    for (int step = 0; step < 100; step++) {
        work(0.0045);
        if (!twin && rank == 1 && step % 17 == 5)
            work(0.045);
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // sum
    }
    return end();
}
