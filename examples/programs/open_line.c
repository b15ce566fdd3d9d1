// Neighbors on a line of four: each rank has room for two, though the communicator has four, and those at the ends have one. Types,
// counts and displacements are as long as the neighbors, and what lies behind them is nobody's.
// run: -n 4
// also: MPI_Cart_create MPI_Comm_free MPI_Barrier MPI_Type_vector MPI_Type_commit MPI_Type_free
// expect: calls MPI_Neighbor_alltoallw = 4
// expect: sent MPI_Neighbor_alltoallw rank 1 = 2 * 12
// expect: received MPI_Neighbor_alltoallw rank 1 = 2 * 12
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 16 };

int main(int argc, char **argv)
{
    struct {
        MPI_Datatype types[2], behind[6];
    } here;
    int out[2 * ROOM], in[2 * ROOM], counts[] = {1, 1}, rank, wrong = 0;
    MPI_Aint at[] = {0, ROOM * sizeof(int)};
    MPI_Datatype spread;
    MPI_Comm line;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(&here, 0x5a, sizeof here);
    for (int i = 0; i < 2 * ROOM; i++) {
        out[i] = rank;
        in[i] = -1;
    }
    // Every second of six ints: a type that was not met before.
    MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    here.types[0] = here.types[1] = spread;
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){4}, (int[]){0}, 0, &line);
    MPI_Neighbor_alltoallw(out, counts, at, here.types, in, counts, at, here.types, line);
    wrong += in[0] != (rank > 0 ? rank - 1 : -1) || in[ROOM + 4] != (rank < 3 ? rank + 1 : -1);
    MPI_Type_free(&spread);
    MPI_Comm_free(&line);
    if (wrong)
        printf("wrong: %d results on rank %d\n", wrong, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
