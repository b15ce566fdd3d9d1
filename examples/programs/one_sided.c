// One-sided communication in all its ways: between fences, under locks, with flushes, and between post and wait.
// run: -n 2
// also: MPI_Comm_group MPI_Group_incl MPI_Group_free MPI_Barrier MPI_Reduce
// expect: calls MPI_Win_create = 2
// expect: calls MPI_Win_allocate = 2
// expect: calls MPI_Win_free = 2 * 2
// expect: calls MPI_Win_fence = 2 * 5
// expect: calls MPI_Win_lock = 2
// expect: calls MPI_Win_unlock = 2
// expect: calls MPI_Win_lock_all = 2 * 3
// expect: calls MPI_Win_unlock_all = 2 * 3
// expect: calls MPI_Win_flush = 2 * 7 + 2 * 2
// expect: calls MPI_Win_start rank 0 = 1
// expect: calls MPI_Win_complete rank 0 = 1
// expect: calls MPI_Win_post rank 1 = 1
// expect: calls MPI_Win_wait rank 1 = 1
// expect: calls MPI_Put = 2 * 1 + 1 + 1
// expect: sent MPI_Put rank 0 = 10 * 4 + 3 * 4
// expect: sent MPI_Put rank 1 = 10 * 4
// expect: messages MPI_Put 0 -> 1 = 2
// expect: messages MPI_Put 1 -> 0 = 1
// expect: received MPI_Put = 0
// expect: calls MPI_Get = 2
// expect: sent MPI_Get = 0
// expect: received MPI_Get rank 1 = 10 * 4
// expect: calls MPI_Accumulate = 2
// expect: sent MPI_Accumulate rank 0 = 5 * 4
// expect: received MPI_Accumulate = 0
// expect: calls MPI_Get_accumulate = 2
// expect: sent MPI_Get_accumulate rank 1 = 2 * 4
// expect: received MPI_Get_accumulate rank 1 = 2 * 4
// expect: calls MPI_Fetch_and_op = 2 * 7
// expect: sent MPI_Fetch_and_op rank 0 = 7 * 4
// expect: received MPI_Fetch_and_op rank 0 = 7 * 4
// expect: messages MPI_Fetch_and_op 0 -> 0 = 7
// expect: messages MPI_Fetch_and_op 1 -> 0 = 7
// expect: calls MPI_Compare_and_swap = 2
// expect: sent MPI_Compare_and_swap rank 0 = 4
// expect: received MPI_Compare_and_swap rank 0 = 4
// expect: messages MPI_Compare_and_swap 1 -> 0 = 1
// expect: calls MPI_Rput = 2
// expect: sent MPI_Rput rank 1 = 6 * 4
// expect: messages MPI_Rput 0 -> 1 = 1
// expect: calls MPI_Rget = 2
// expect: sent MPI_Rget = 0
// expect: received MPI_Rget rank 0 = 6 * 4
// expect: calls MPI_Wait = 2 * 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0, mine[10], theirs[10] = {0}, *counter, result[2], one = 1, zero = 0;
    MPI_Win win, shared;
    MPI_Request request;
    MPI_Group world, partner;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    for (int i = 0; i < 10; i++)
        mine[i] = 100 * rank + i;

    MPI_Win_create(theirs, sizeof theirs, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(mine, 10, MPI_INT, other, 0, 10, MPI_INT, win);
    MPI_Win_fence(0, win);
    wrong += theirs[9] != 100 * other + 9;
    MPI_Win_fence(0, win);
    MPI_Get(mine, 10, MPI_INT, other, 0, 10, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    wrong += mine[9] != 100 * rank + 9;
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    MPI_Accumulate(mine, 5, MPI_INT, other, 0, 5, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(other, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    wrong += theirs[4] != 2 * (100 * other + 4) || theirs[5] != 100 * other + 5;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &partner);
    if (rank == 0) {
        MPI_Win_start(partner, 0, win);
        MPI_Put(mine, 3, MPI_INT, 1, 0, 3, MPI_INT, win);
        MPI_Put(mine, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(partner, 0, win);
        MPI_Win_wait(win);
        wrong += theirs[2] != 2;
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Win_free(&win);

    // MPICH 4.0.2 mistakes where another rank's part begins unless it has a multiple of 16 bytes.
    MPI_Win_allocate(12 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &shared);
    MPI_Win_lock_all(0, shared);
    for (int i = 0; i < 10; i++)
        counter[i] = 0;
    MPI_Win_unlock_all(shared);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, shared);
    for (int i = 0; i < 7; i++) {
        MPI_Fetch_and_op(&one, result, MPI_INT, 0, 0, MPI_SUM, shared);
        MPI_Win_flush(0, shared);
    }
    MPI_Get_accumulate(mine, 2, MPI_INT, result, 2, MPI_INT, other, 1, 2, MPI_INT, MPI_SUM, shared);
    MPI_Win_flush(other, shared);
    MPI_Compare_and_swap(&one, &zero, result, MPI_INT, other, 3, shared);
    MPI_Rput(mine, 6, MPI_INT, other, 4, 6, MPI_INT, shared, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(other, shared);
    MPI_Rget(theirs, 6, MPI_INT, other, 4, 6, MPI_INT, shared, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(shared);
    wrong += theirs[5] != mine[5];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, shared);
    wrong += rank == 0 && counter[0] != 14;
    wrong += counter[2] != 100 * other + 1 || counter[3] != 1 || counter[9] != 100 * other + 5;
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
