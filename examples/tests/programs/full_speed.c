// Each rank sends to itself as many bytes as the tag says, and asks for messages that nobody sends, with no pause between two calls, for
// as many seconds as are given.
// run: -n 2 -- SECONDS
#include <mpi.h>
#include <stdlib.h>

enum { SIZES = 64 };

int main(int argc, char **argv)
{
    char out[SIZES] = {0}, in[SIZES];
    int rank, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double end = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 1);
    while (MPI_Wtime() < end)
        for (int size = 0; size < SIZES; size++) {
            MPI_Sendrecv(out, size, MPI_BYTE, rank, size, in, size, MPI_BYTE, rank, size, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            for (int asked = 0; asked < 3; asked++)
                MPI_Iprobe(rank, SIZES + size, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        }
    MPI_Finalize();
    return 0;
}
