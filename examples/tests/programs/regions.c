// Two ranks go through regions inside each other: in "halo", rank 0 sends rank 1 what that waits 30 ms for, in "sum" rank 0 waits 20
// ms for rank 1; both lie in "step", whose own time is the rest. One end too many is made, and one region entered by rank 1
// alone. What is in which is said on standard error.
// run: -n 2
#include "../../programs/planted.h"
#include <overhear.h>

enum { STEPS = 3, BYTES = 1000 };

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    char buffer[BYTES] = {0};
    double in_step = 0, computing = 0;
    overhear_begin("too early");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    overhear_end();
    for (int step = 0; step < STEPS; step++) {
        start_together();
        overhear_begin("step");
        double begin = now();
        overhear_begin("halo");
        if (rank == 0) {
            be_late(0.03);
            note("halo");
            computing += now() - begin;
            MPI_Send(buffer, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else {
            note("halo");
            MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        overhear_end();
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &sum, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        overhear_begin("sum");
        if (rank == 1)
            be_late(0.02);
        note("sum");
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        overhear_end();
        in_step += now() - begin;
        overhear_end();
    }
    overhear_end();
    if (rank == 1) {
        overhear_begin("alone");
        MPI_Send(&one, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        overhear_end();
        MPI_Recv(&one, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    gather_notes();
    tell("late_sender", 1, "halo", 0, "halo");
    tell("wait_at_nxn", 0, "sum", 1, "sum");
    fprintf(stderr, "truth: step rank %d = %.6f\ntruth: computing rank %d = %.6f\n", rank, in_step, rank, computing);
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
