// The last rank is late to its half of the ranks in each step, and so the half's first rank is late to all ranks in every tenth.
// run: -n 4
// finding: late_rank ranks last at MPI_Allreduce // half
#include "planted_work.h"

int main(int argc, char **argv)
{
    double local = 1, sum = 0;
    begin(argc, argv);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &half);
    for (int step = 0; step < 50; step++) {
        work(!twin && rank == size - 1 ? 0.020 : 0.008);
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, half); // half
        if (step % 10 == 9)
            MPI_Bcast(&sum, 1, MPI_DOUBLE, size / 2, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&half);
    return end();
}
