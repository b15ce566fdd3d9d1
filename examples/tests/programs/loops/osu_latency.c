// The loop of osu_latency, rewritten: messages there and back, the mean of all but the first ones, halved.
// run: -n 2
#include "loops.h"

enum { SMALL = 8192, ITERATIONS = 10000, SKIPPED = 100, ITERATIONS_LARGE = 1000, SKIPPED_LARGE = 10 };

int main(int argc, char **argv)
{
    begin(argc, argv);
    char *out = buffer(most_bytes), *in = buffer(most_bytes);
    for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
        int iterations = times(bytes > SMALL ? ITERATIONS_LARGE : ITERATIONS);
        int skipped = times(bytes > SMALL ? SKIPPED_LARGE : SKIPPED);
        double start = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < iterations + skipped; i++) {
            if (i == skipped)
                start = MPI_Wtime();
            if (rank == 0) {
                MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
                MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
            }
        }
        row("osu_latency", bytes, "latency_us=%.4f", (MPI_Wtime() - start) * 1e6 / (2.0 * iterations));
    }
    MPI_Finalize();
    return 0;
}
