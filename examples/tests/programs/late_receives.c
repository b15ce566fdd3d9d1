// Rank 1 receives short messages one by one, each a millisecond after it came. Together they are more than a launcher's.
// run: -n 2
#include <mpi.h>
#include <unistd.h>

enum { MESSAGES = 100, BYTES = 1000 };

int main(int argc, char **argv)
{
    char message[BYTES] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 0)
            MPI_Send(message, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        // What else the engine has to read lets it find the message, too.
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            usleep(1000);
            MPI_Recv(message, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
