// Exchanges with both neighbors along a line by MPI_Sendrecv and MPI_Sendrecv_replace. Beyond the ends of the line is
// MPI_PROC_NULL, with which nothing is exchanged, and the buffers are larger than what arrives.
// run: -n 4
// also: MPI_Reduce
// expect: calls MPI_Sendrecv = 4 * 5 * 2
// expect: calls MPI_Sendrecv rank 0 = 5 * 2
// expect: sent MPI_Sendrecv rank 0 = 5 * 10 * 8
// expect: sent MPI_Sendrecv rank 1 = 5 * 2 * 10 * 8
// expect: sent MPI_Sendrecv rank 2 = 5 * 2 * 10 * 8
// expect: sent MPI_Sendrecv rank 3 = 5 * 10 * 8
// expect: received MPI_Sendrecv rank 0 = 5 * 10 * 8
// expect: received MPI_Sendrecv rank 1 = 5 * 2 * 10 * 8
// expect: received MPI_Sendrecv rank 2 = 5 * 2 * 10 * 8
// expect: received MPI_Sendrecv rank 3 = 5 * 10 * 8
// expect: failed MPI_Sendrecv = 0
// expect: messages MPI_Sendrecv 0 -> 1 = 5
// expect: messages MPI_Sendrecv 1 -> 2 = 5
// expect: messages MPI_Sendrecv 1 -> 0 = 5
// expect: messages MPI_Sendrecv 0 -> 3 = 0
// expect: calls MPI_Sendrecv_replace = 4 * 3
// expect: sent MPI_Sendrecv_replace rank 0 = 3 * 20 * 4
// expect: sent MPI_Sendrecv_replace rank 2 = 3 * 20 * 4
// expect: sent MPI_Sendrecv_replace rank 3 = 0
// expect: received MPI_Sendrecv_replace rank 0 = 0
// expect: received MPI_Sendrecv_replace rank 1 = 3 * 20 * 4
// expect: received MPI_Sendrecv_replace rank 3 = 3 * 20 * 4
// expect: messages MPI_Sendrecv_replace 0 -> 1 = 3
#include <mpi.h>
#include <stdio.h>

enum { DOUBLES = 10, ROOM = 25, INTS = 20 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all = 0, count;
    double mine[DOUBLES], theirs[ROOM];
    int values[INTS];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < DOUBLES; i++)
        mine[i] = rank;
    for (int round = 0; round < 5; round++) {
        theirs[DOUBLES - 1] = -1;
        MPI_Sendrecv(mine, DOUBLES, MPI_DOUBLE, right, 1, theirs, ROOM, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        wrong += status.MPI_SOURCE != left || count != (rank > 0 ? DOUBLES : 0) || theirs[DOUBLES - 1] != rank - 1;
        theirs[DOUBLES - 1] = size;
        MPI_Sendrecv(mine, DOUBLES, MPI_DOUBLE, left, 2, theirs, ROOM, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        wrong += theirs[DOUBLES - 1] != rank + 1;
    }
    for (int i = 0; i < INTS; i++)
        values[i] = rank;
    for (int round = 0; round < 3; round++)
        MPI_Sendrecv_replace(values, INTS, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += values[INTS - 1] != (rank > 3 ? rank - 3 : 0);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
