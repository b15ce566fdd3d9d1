// Rank 0 sends rank 1 messages of 1, 10, 100 and 1000 bytes, five of each and each 20 ms late. The first are forgotten by
// MPI_Pcontrol(2), the second and the last count, and in the third the program has MPI_Pcontrol(0) leave them out. What is
// received while nothing counts may have been begun when something did, and the other way round.
// run: -n 2
#include "../../programs/planted.h"

enum { MESSAGES = 5, LONGEST = 1000 };

static char buffer[2 * LONGEST];

static void exchange(int rank, int bytes)
{
    for (int n = 0; n < MESSAGES; n++) {
        start_together();
        if (rank == 0) {
            be_late(0.02);
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(buffer, 2 * bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Request begun;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, 1);
    if (rank == 1)
        MPI_Irecv(buffer, LONGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &begun);
    MPI_Pcontrol(2);
    if (rank == 1)
        MPI_Wait(&begun, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 7, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    exchange(rank, 10);
    if (rank == 1)
        MPI_Irecv(buffer, LONGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &begun);
    MPI_Pcontrol(0);
    double begin = now();
    if (rank == 1)
        MPI_Wait(&begun, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    exchange(rank, 100);
    if (rank == 1)
        MPI_Irecv(buffer, LONGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &begun);
    double end = now();
    MPI_Pcontrol(1);
    if (rank == 1)
        MPI_Wait(&begun, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 9, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    exchange(rank, 1000);
    MPI_Pcontrol(3);
    fprintf(stderr, "truth: stopped rank %d = %.6f\n", rank, end - begin);
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
