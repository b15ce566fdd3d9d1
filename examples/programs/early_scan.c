// A rank that wants the sum over the ranks below it waits for the last of those: in MPI_Scan, rank 0 comes 80 ms late,
// in MPI_Exscan rank 1 does, of whom rank 2 alone needs anything. (MPICH lets rank 0 wait there too.)
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Scan = 3 * 3
// expect: calls MPI_Exscan = 3 * 3
// expect: wait early_scan rank 1 = 3 * 0.08 at MPI_Scan // with its own <- rank 0 MPI_Scan // with its own
// expect: wait early_scan rank 2 = 3 * 0.08 at MPI_Scan // with its own <- rank 0 MPI_Scan // with its own
// expect: wait early_scan rank 2 = 3 * 0.08 at MPI_Exscan // without <- rank 1 MPI_Exscan // without
#include "planted.h"

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank, part = 0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 0)
            be_late(0.08);
        note("with its own");
        MPI_Scan(&part, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // with its own
        start_together();
        if (rank == 1)
            be_late(0.08);
        note("without");
        MPI_Exscan(&part, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // without
    }
    gather_notes();
    tell("early_scan", 1, "with its own", 0, "with its own");
    tell("early_scan", 2, "with its own", 0, "with its own");
    tell("early_scan", 2, "without", 1, "without");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
