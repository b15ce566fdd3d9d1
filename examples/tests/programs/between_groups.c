// Calls with a root between a group of three ranks and the one other rank, five of each.
// run: -n 4
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 5, EACH = 10, FIRST = 3 };

int main(int argc, char **argv)
{
    int rank, of_one = FIRST * EACH, start = 0, data[FIRST * EACH] = {0}, got[FIRST * EACH] = {0};
    int counts[FIRST] = {EACH, EACH, EACH}, at[FIRST] = {0, EACH, 2 * EACH};
    MPI_Comm half, between;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int is_last = rank == FIRST, root = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, is_last, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_last ? 0 : FIRST, 7, &between);
    for (int round = 0; round < ROUNDS; round++) {
        // Rank 0 has one part alone, though its own group has three ranks.
        MPI_Scatterv(data, &of_one, &start, MPI_INT, got, of_one, MPI_INT, is_last ? 0 : root, between);
        MPI_Bcast(data, EACH, MPI_INT, is_last ? 0 : root, between);
        MPI_Gatherv(data, EACH, MPI_INT, got, counts, at, MPI_INT, is_last ? MPI_ROOT : 0, between);
        MPI_Reduce(data, got, EACH, MPI_INT, MPI_SUM, is_last ? MPI_ROOT : 0, between);
        MPI_Allreduce(data, got, EACH, MPI_INT, MPI_SUM, between);
    }
    if (rank == 0)
        puts("ok");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
