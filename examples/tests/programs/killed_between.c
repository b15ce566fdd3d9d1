// Three times rank 0 comes 100 ms late with what rank 1 waits for in MPI_Recv. Then rank 2 sends rank 0 what it will not
// receive, and is killed; the others have come to a barrier without it, and rank 1 has posted a receive for its message.
// run: -n 3
#include <signal.h>
#include <unistd.h>

#include "../../programs/planted.h"

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    int rank;
    char byte = 0, other;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        start_together();
        if (rank == 0) {
            be_late(0.1);
            note("sends");
            MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            note("receives");
            MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    gather_notes();
    tell("late_sender", 1, "receives", 0, "sends");
    if (rank == 2) {
        MPI_Send(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        be_late(0.3);
        kill(getpid(), SIGKILL);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    if (rank == 1)
        MPI_Irecv(&other, 1, MPI_BYTE, 2, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(&byte, 1, MPI_BYTE, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
