// Rank 0 waits 100 ms for a message while another lies there that it receives only afterwards: one of the same sender,
// and one of another sender. It comes 5 ms after the others, so that what lies there does so when the wait begins.
// run: -n 3
// also: MPI_Iallreduce MPI_Test MPI_Gather
// expect: calls MPI_Send rank 1 = 3 * 3
// expect: calls MPI_Send rank 2 = 3
// expect: calls MPI_Recv rank 0 = 4 * 3
// expect: wait wrong_order rank 0 = 3 * 0.1 at MPI_Recv // waits <- rank 1 MPI_Send // sends late
// expect: wait wrong_order rank 0 = 3 * 0.1 at MPI_Recv // waits again <- rank 1 MPI_Send // sends late again
#include "planted.h"

enum { ROUNDS = 3, EARLY = 1, LATE = 2 };

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 0) {
            be_late(0.005);
            note("waits");
            MPI_Recv(&data, 1, MPI_INT, 1, LATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // waits
            MPI_Recv(&data, 1, MPI_INT, 1, EARLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Send(&data, 1, MPI_INT, 0, EARLY, MPI_COMM_WORLD);
            be_late(0.105);
            note("sends late");
            MPI_Send(&data, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD); // sends late
        }
        start_together();
        if (rank == 0) {
            be_late(0.005);
            note("waits again");
            MPI_Recv(&data, 1, MPI_INT, 1, LATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // waits again
            MPI_Recv(&data, 1, MPI_INT, 2, EARLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            be_late(0.105);
            note("sends late again");
            MPI_Send(&data, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD); // sends late again
        } else {
            MPI_Send(&data, 1, MPI_INT, 0, EARLY, MPI_COMM_WORLD);
        }
    }
    gather_notes();
    tell("wrong_order", 0, "waits", 1, "sends late");
    tell("wrong_order", 0, "waits again", 1, "sends late again");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
