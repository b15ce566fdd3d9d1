// What MPI_Alltoallv and its like hand to each rank differs, also from one call to the next where the sum stays.
// Rank r hands rank s, in ints: 4r + s + 1 in three rounds, and as many to 3 - s in two of them; r + s + 1 in place; of
// MPI_Alltoallw s + 1 times a char or, where s is even, an int.
// run: -n 4
// also: MPI_Barrier
// expect: calls MPI_Alltoallv = 4 * 6
// expect: calls MPI_Ialltoallv = 4
// expect: calls MPI_Wait = 4
// expect: calls MPI_Alltoallw = 4
#include <mpi.h>
#include <stdio.h>

enum { P = 4, ROOM = 32 };

static int out[P * ROOM], in[P * ROOM], wrong, rank;

static void came(int from, int first)
{
    wrong += in[from * ROOM] != first;
}

int main(int argc, char **argv)
{
    int sent[P], got[P], back[P], from_last[P], alike[P], at[P], bytes_at[P], each[P], mine[P];
    MPI_Datatype types[P], my_types[P];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int other = 0; other < P; other++) {
        sent[other] = 4 * rank + other + 1;
        got[other] = 4 * other + rank + 1;
        back[other] = 4 * rank + (P - 1 - other) + 1;
        from_last[other] = 4 * other + (P - 1 - rank) + 1;
        alike[other] = rank + other + 1;
        at[other] = ROOM * other;
        bytes_at[other] = ROOM * other * sizeof(int);
        each[other] = other + 1;
        mine[other] = rank + 1;
        types[other] = other % 2 ? MPI_CHAR : MPI_INT;
        my_types[other] = rank % 2 ? MPI_CHAR : MPI_INT;
    }
    for (int i = 0; i < P * ROOM; i++)
        out[i] = rank;
    // One place in the program, one sum, two lists.
    for (int round = 0; round < 5; round++) {
        int turned = round >= 3;
        MPI_Alltoallv(out, turned ? back : sent, at, MPI_INT, in, turned ? from_last : got, at, MPI_INT, MPI_COMM_WORLD);
        came(3, 3);
    }
    MPI_Ialltoallv(out, sent, at, MPI_INT, in, got, at, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    came(2, 2);
    for (int i = 0; i < P * ROOM; i++)
        in[i] = 10 + rank;
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, alike, at, MPI_INT, MPI_COMM_WORLD);
    came(1, 11);
    MPI_Alltoallw(out, each, bytes_at, types, in, mine, bytes_at, my_types, MPI_COMM_WORLD);
    wrong += *(char *)&in[3 * ROOM] != 3;
    if (wrong)
        printf("wrong: %d results on rank %d\n", wrong, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
