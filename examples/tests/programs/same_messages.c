// Three ranks send numbers that depend on nothing but ranks and rounds around a ring, some of them with gaps between, and collect them.
// With CHANGED defined, the second number that rank 1 sends in the fourth round is another one.
// run: -n 3
// set: OVERHEAR_CHECKSUM=crc32
#include <mpi.h>

enum { ROUNDS = 6, NUMBERS = 40 };

int main(int argc, char **argv)
{
    int rank, size, out[NUMBERS], in[NUMBERS], sum[NUMBERS], all[3 * NUMBERS];
    MPI_Datatype spread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(NUMBERS / 4, 2, 4, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    for (int round = 0; round < ROUNDS; round++) {
        for (int at = 0; at < NUMBERS; at++) {
            out[at] = 1000 * rank + 100 * round + at;
            in[at] = 0;
        }
#ifdef CHANGED
        if (rank == 1 && round == 3)
            out[1]++;
#endif
        MPI_Sendrecv(out, 1, spread, (rank + 1) % size, round, in, 1, spread, (rank + size - 1) % size, round,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE); // ring
        MPI_Allreduce(in, sum, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allgather(sum, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
    }
    MPI_Type_free(&spread);
    MPI_Finalize();
    return 0;
}
