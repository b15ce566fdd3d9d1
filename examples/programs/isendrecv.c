// Exchanges round a ring by MPI_Isendrecv and MPI_Isendrecv_replace, which are one request each; then along a line with
// MPI_PROC_NULL beyond its ends. As much arrives as there is room for, since under MPICH and Intel MPI the status
// of such a request does not say how much.
// run: -n 4
// needs: MPI_Isendrecv
// also: MPI_Reduce
// expect: calls MPI_Isendrecv = 4 * 5 + 4
// expect: sent MPI_Isendrecv rank 0 = 5 * 10 * 8 + 10 * 8
// expect: sent MPI_Isendrecv rank 3 = 5 * 10 * 8
// expect: received MPI_Isendrecv rank 0 = 5 * 10 * 8
// expect: received MPI_Isendrecv rank 1 = 5 * 10 * 8 + 10 * 8
// expect: received MPI_Isendrecv rank 3 = 5 * 10 * 8 + 10 * 8
// expect: messages MPI_Isendrecv 0 -> 1 = 5 + 1
// expect: messages MPI_Isendrecv 3 -> 0 = 5
// expect: calls MPI_Isendrecv_replace = 4 * 3
// expect: sent MPI_Isendrecv_replace rank 1 = 3 * 20 * 4
// expect: received MPI_Isendrecv_replace rank 1 = 3 * 20 * 4
// expect: messages MPI_Isendrecv_replace 1 -> 2 = 3
// expect: calls MPI_Wait = 4 * 5 + 4
// expect: calls MPI_Waitall = 4 * 3
// expect: received MPI_Wait rank 0 = 0
// expect: failed MPI_Wait = 0
#include <mpi.h>
#include <stdio.h>

enum { DOUBLES = 10, INTS = 20 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all = 0;
    double mine[DOUBLES], theirs[DOUBLES];
    int values[INTS];
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < DOUBLES; i++)
        mine[i] = rank;
    for (int round = 0; round < 5; round++) {
        theirs[DOUBLES - 1] = -1;
        MPI_Isendrecv(mine, DOUBLES, MPI_DOUBLE, right, round, theirs, DOUBLES, MPI_DOUBLE, left, round, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, round % 2 ? &status : MPI_STATUS_IGNORE);
        wrong += theirs[DOUBLES - 1] != left;
    }
    for (int i = 0; i < INTS; i++)
        values[i] = rank;
    for (int round = 0; round < 3; round++) {
        MPI_Isendrecv_replace(values, INTS, MPI_INT, right, 9, left, 9, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    }
    wrong += values[INTS - 1] != (rank + size - 3) % size;
    left = rank > 0 ? left : MPI_PROC_NULL;
    right = rank + 1 < size ? right : MPI_PROC_NULL;
    theirs[DOUBLES - 1] = -1;
    MPI_Isendrecv(mine, DOUBLES, MPI_DOUBLE, right, 8, theirs, DOUBLES, MPI_DOUBLE, left, 8, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += theirs[DOUBLES - 1] != rank - 1;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
