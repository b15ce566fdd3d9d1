// Every nonblocking collective, three times over. Each time all are under way together, and one MPI_Waitall that wants
// no statuses ends them. What matters at the root only is nonsense elsewhere.
// run: -n 4
// also: MPI_Reduce
// expect: calls MPI_Ibarrier = 3 * 4
// expect: sent MPI_Ibarrier = 0
// expect: sent MPI_Ibarrier rank 3 = 0
// expect: received MPI_Ibarrier = 0
// expect: received MPI_Ibarrier rank 3 = 0
// expect: calls MPI_Ibcast = 3 * 4
// expect: sent MPI_Ibcast rank 0 = 0
// expect: sent MPI_Ibcast rank 1 = 3 * 10 * 4
// expect: sent MPI_Ibcast rank 2 = 0
// expect: sent MPI_Ibcast rank 3 = 0
// expect: received MPI_Ibcast rank 0 = 3 * 10 * 4
// expect: received MPI_Ibcast rank 1 = 0
// expect: received MPI_Ibcast rank 2 = 3 * 10 * 4
// expect: received MPI_Ibcast rank 3 = 3 * 10 * 4
// expect: messages MPI_Ibcast 2 -> 1 = 3
// expect: calls MPI_Igather = 3 * 4
// expect: sent MPI_Igather = 3 * 4 * 3 * 4
// expect: sent MPI_Igather rank 2 = 3 * 3 * 4
// expect: received MPI_Igather rank 0 = 3 * 4 * 3 * 4
// expect: received MPI_Igather rank 1 = 0
// expect: received MPI_Igather rank 2 = 0
// expect: received MPI_Igather rank 3 = 0
// expect: messages MPI_Igather 1 -> 0 = 3
// expect: calls MPI_Igatherv = 3 * 4
// expect: sent MPI_Igatherv rank 0 = 3 * 4
// expect: sent MPI_Igatherv rank 1 = 3 * 2 * 4
// expect: sent MPI_Igatherv rank 2 = 3 * 3 * 4
// expect: sent MPI_Igatherv rank 3 = 3 * 4 * 4
// expect: received MPI_Igatherv rank 0 = 0
// expect: received MPI_Igatherv rank 1 = 0
// expect: received MPI_Igatherv rank 2 = 3 * 10 * 4
// expect: received MPI_Igatherv rank 3 = 0
// expect: messages MPI_Igatherv 3 -> 2 = 3
// expect: calls MPI_Iscatter = 3 * 4
// expect: sent MPI_Iscatter rank 0 = 0
// expect: sent MPI_Iscatter rank 1 = 0
// expect: sent MPI_Iscatter rank 2 = 0
// expect: sent MPI_Iscatter rank 3 = 3 * 4 * 2 * 4
// expect: received MPI_Iscatter = 3 * 4 * 2 * 4
// expect: received MPI_Iscatter rank 3 = 3 * 2 * 4
// expect: messages MPI_Iscatter 0 -> 3 = 3
// expect: calls MPI_Iscatterv = 3 * 4
// expect: sent MPI_Iscatterv rank 0 = 0
// expect: sent MPI_Iscatterv rank 1 = 3 * 10 * 4
// expect: sent MPI_Iscatterv rank 2 = 0
// expect: sent MPI_Iscatterv rank 3 = 0
// expect: received MPI_Iscatterv rank 0 = 3 * 4
// expect: received MPI_Iscatterv rank 1 = 3 * 2 * 4
// expect: received MPI_Iscatterv rank 2 = 3 * 3 * 4
// expect: received MPI_Iscatterv rank 3 = 3 * 4 * 4
// expect: messages MPI_Iscatterv 2 -> 1 = 3
// expect: calls MPI_Iallgather = 3 * 4
// expect: sent MPI_Iallgather = 3 * 4 * 4 * 4
// expect: sent MPI_Iallgather rank 1 = 3 * 4 * 4
// expect: received MPI_Iallgather = 3 * 4 * 4 * 2 * 8
// expect: received MPI_Iallgather rank 1 = 3 * 4 * 2 * 8
// expect: calls MPI_Iallgatherv = 3 * 4
// expect: sent MPI_Iallgatherv rank 0 = 0
// expect: sent MPI_Iallgatherv rank 1 = 3 * 4
// expect: sent MPI_Iallgatherv rank 2 = 3 * 2 * 4
// expect: sent MPI_Iallgatherv rank 3 = 3 * 3 * 4
// expect: received MPI_Iallgatherv = 3 * 4 * 6 * 4
// expect: received MPI_Iallgatherv rank 2 = 3 * 6 * 4
// expect: calls MPI_Ialltoall = 3 * 4
// expect: sent MPI_Ialltoall = 3 * 4 * 4 * 5 * 4
// expect: sent MPI_Ialltoall rank 0 = 3 * 4 * 5 * 4
// expect: received MPI_Ialltoall = 3 * 4 * 4 * 5 * 4
// expect: received MPI_Ialltoall rank 0 = 3 * 4 * 5 * 4
// expect: calls MPI_Ialltoallv = 3 * 4
// expect: sent MPI_Ialltoallv = 3 * 4 * 10 * 4
// expect: sent MPI_Ialltoallv rank 1 = 3 * 10 * 4
// expect: received MPI_Ialltoallv rank 0 = 3 * 4 * 4
// expect: received MPI_Ialltoallv rank 1 = 3 * 4 * 2 * 4
// expect: received MPI_Ialltoallv rank 2 = 3 * 4 * 3 * 4
// expect: received MPI_Ialltoallv rank 3 = 3 * 4 * 4 * 4
// expect: calls MPI_Ialltoallw = 3 * 4
// expect: sent MPI_Ialltoallw = 3 * 4 * 12
// expect: sent MPI_Ialltoallw rank 1 = 3 * 12
// expect: received MPI_Ialltoallw rank 0 = 0
// expect: received MPI_Ialltoallw rank 1 = 3 * 4 * 1
// expect: received MPI_Ialltoallw rank 2 = 3 * 4 * 2 * 4
// expect: received MPI_Ialltoallw rank 3 = 3 * 4 * 3
// expect: calls MPI_Ireduce = 3 * 4
// expect: sent MPI_Ireduce = 3 * 4 * 5 * 4
// expect: sent MPI_Ireduce rank 2 = 3 * 5 * 4
// expect: received MPI_Ireduce rank 0 = 0
// expect: received MPI_Ireduce rank 1 = 0
// expect: received MPI_Ireduce rank 2 = 3 * 5 * 4
// expect: received MPI_Ireduce rank 3 = 0
// expect: messages MPI_Ireduce 3 -> 2 = 3
// expect: calls MPI_Iallreduce = 3 * 4
// expect: sent MPI_Iallreduce = 3 * 4 * 6 * 4
// expect: sent MPI_Iallreduce rank 1 = 3 * 6 * 4
// expect: received MPI_Iallreduce = 3 * 4 * 6 * 4
// expect: received MPI_Iallreduce rank 1 = 3 * 6 * 4
// expect: calls MPI_Ireduce_scatter_block = 3 * 4
// expect: sent MPI_Ireduce_scatter_block = 3 * 4 * 4 * 3 * 4
// expect: sent MPI_Ireduce_scatter_block rank 0 = 3 * 4 * 3 * 4
// expect: received MPI_Ireduce_scatter_block = 3 * 4 * 3 * 4
// expect: received MPI_Ireduce_scatter_block rank 0 = 3 * 3 * 4
// expect: calls MPI_Ireduce_scatter = 3 * 4
// expect: sent MPI_Ireduce_scatter = 3 * 4 * 10 * 4
// expect: sent MPI_Ireduce_scatter rank 2 = 3 * 10 * 4
// expect: received MPI_Ireduce_scatter rank 0 = 3 * 4
// expect: received MPI_Ireduce_scatter rank 1 = 3 * 2 * 4
// expect: received MPI_Ireduce_scatter rank 2 = 3 * 3 * 4
// expect: received MPI_Ireduce_scatter rank 3 = 3 * 4 * 4
// expect: calls MPI_Iscan = 3 * 4
// expect: sent MPI_Iscan = 3 * 4 * 7 * 4
// expect: sent MPI_Iscan rank 0 = 3 * 7 * 4
// expect: received MPI_Iscan = 3 * 4 * 7 * 4
// expect: received MPI_Iscan rank 0 = 3 * 7 * 4
// expect: calls MPI_Iexscan = 3 * 4
// expect: sent MPI_Iexscan = 3 * 4 * 8 * 4
// expect: sent MPI_Iexscan rank 2 = 3 * 8 * 4
// expect: received MPI_Iexscan = 3 * 4 * 8 * 4
// expect: received MPI_Iexscan rank 2 = 3 * 8 * 4
// expect: calls MPI_Waitall = 3 * 4
// expect: sent MPI_Waitall = 0
// expect: received MPI_Waitall = 0
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { P = 4, STEP = 5, ROUNDS = 3, ROOM = 64, ALL = 17 };

static int rank, wrong, in[ROOM], out[ALL][ROOM];

// Whether this rank is a root, for the sake of the others' arguments.
static int at(int root)
{
    return rank == root;
}

static void check(int seen, int expected)
{
    wrong += seen != expected;
}

int main(int argc, char **argv)
{
    int all = 0, steps[P], one_to_four[P], none_to_three[P], mine[P], bytes_at[P], rank_times[P];
    _Alignas(int) char from[P][16], to[P][16];
    MPI_Datatype types[P], my_types[P], none = MPI_DATATYPE_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[ALL], *next;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    for (int i = 0; i < P; i++) {
        steps[i] = STEP * i;
        one_to_four[i] = i + 1;
        none_to_three[i] = i;
        mine[i] = rank + 1;
        rank_times[i] = rank;
        bytes_at[i] = 16 * i;
        types[i] = i % 2 ? MPI_CHAR : MPI_INT;
        my_types[i] = rank % 2 ? MPI_CHAR : MPI_INT;
    }

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ROOM; i++)
            in[i] = 100 * rank + i;
        memset(from, 'a' + rank, sizeof from);
        memset(to, 0, sizeof to);
        memset(out, 0, sizeof out);
        out[0][9] = rank;
        next = requests;
        MPI_Ibarrier(world, next++);
        MPI_Ibcast(out[0], 10, MPI_INT, 1, world, next++);
        MPI_Igather(in, 3, MPI_INT, at(0) ? out[1] : NULL, at(0) ? 3 : -1, at(0) ? MPI_INT : none, 0, world, next++);
        MPI_Igatherv(in, rank + 1, MPI_INT, out[2], at(2) ? one_to_four : NULL, at(2) ? steps : NULL,
                     at(2) ? MPI_INT : none, 2, world, next++);
        MPI_Iscatter(at(3) ? in : NULL, at(3) ? 2 : -1, at(3) ? MPI_INT : none, out[3], 2, MPI_INT, 3, world, next++);
        MPI_Iscatterv(in, at(1) ? one_to_four : NULL, at(1) ? steps : NULL, at(1) ? MPI_INT : none, out[4], rank + 1,
                      MPI_INT, 1, world, next++);
        MPI_Iallgather(in, 4, MPI_INT, out[5], 2, MPI_2INT, world, next++);
        MPI_Iallgatherv(in, rank, MPI_INT, out[6], none_to_three, steps, MPI_INT, world, next++);
        MPI_Ialltoall(in, STEP, MPI_INT, out[7], STEP, MPI_INT, world, next++);
        MPI_Ialltoallv(in, one_to_four, steps, MPI_INT, out[8], mine, steps, MPI_INT, world, next++);
        MPI_Ialltoallw(from, none_to_three, bytes_at, types, to, rank_times, bytes_at, my_types, world, next++);
        MPI_Ireduce(in, out[9], STEP, MPI_INT, MPI_MAX, 2, world, next++);
        MPI_Iallreduce(in, out[10], 6, MPI_INT, MPI_SUM, world, next++);
        MPI_Ireduce_scatter_block(in, out[11], 3, MPI_INT, MPI_SUM, world, next++);
        MPI_Ireduce_scatter(in, out[12], one_to_four, MPI_INT, MPI_SUM, world, next++);
        MPI_Iscan(in, out[13], 7, MPI_INT, MPI_SUM, world, next++);
        MPI_Iexscan(in, out[14], 8, MPI_INT, MPI_SUM, world, next++);
        MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
        check(out[0][9], 1);
        check(out[1][11], at(0) ? 302 : 0);
        check(out[2][3 * STEP + 3], at(2) ? 303 : 0);
        check(out[3][1], 300 + 2 * rank + 1);
        check(out[4][rank], 100 + STEP * rank + rank);
        check(out[5][15], 303);
        check(out[6][STEP * 3 + 2], 302);
        check(out[7][STEP * 3], 300 + STEP * rank);
        check(out[8][STEP * 2 + rank], 200 + STEP * rank + rank);
        check(to[2][0], rank ? 'a' + 2 : 0);
        check(out[9][0], at(2) ? 300 : 0);
        check(out[10][5], 600 + P * 5);
        check(out[11][0], 600 + P * 3 * rank);
        check(out[12][0], 600 + P * rank * (rank + 1) / 2);
        check(out[13][0], 100 * rank * (rank + 1) / 2);
        check(at(0) ? 0 : out[14][0], 100 * rank * (rank - 1) / 2);
    }

    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0 && all)
        printf("wrong: %d results\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
