// Every blocking collective of MPI-3, each with an amount of its own, and roots other than 0. What matters at the root
// only is nonsense elsewhere.
// run: -n 4
// expect: calls MPI_Barrier = 4
// expect: sent MPI_Barrier rank 0 = 0
// expect: calls MPI_Bcast = 4 * 2
// expect: sent MPI_Bcast rank 0 = 0
// expect: sent MPI_Bcast rank 1 = 10 * 4
// expect: sent MPI_Bcast rank 3 = 1000
// expect: received MPI_Bcast rank 0 = 10 * 4 + 1000
// expect: received MPI_Bcast rank 1 = 1000
// expect: received MPI_Bcast rank 3 = 10 * 4
// expect: messages MPI_Bcast 0 -> 1 = 1
// expect: messages MPI_Bcast 0 -> 3 = 1
// expect: messages MPI_Bcast 0 -> 2 = 0
// expect: calls MPI_Gather = 4
// expect: sent MPI_Gather = 4 * 3 * 4
// expect: sent MPI_Gather rank 0 = 3 * 4
// expect: received MPI_Gather = 4 * 3 * 4
// expect: received MPI_Gather rank 0 = 4 * 3 * 4
// expect: messages MPI_Gather 2 -> 0 = 1
// expect: calls MPI_Gatherv = 4
// expect: sent MPI_Gatherv rank 0 = 4
// expect: sent MPI_Gatherv rank 1 = 2 * 4
// expect: sent MPI_Gatherv rank 2 = 3 * 4
// expect: sent MPI_Gatherv rank 3 = 4 * 4
// expect: received MPI_Gatherv = 10 * 4
// expect: received MPI_Gatherv rank 2 = 10 * 4
// expect: messages MPI_Gatherv 0 -> 2 = 1
// expect: calls MPI_Scatter = 4
// expect: sent MPI_Scatter = 4 * 2 * 4
// expect: sent MPI_Scatter rank 3 = 4 * 2 * 4
// expect: received MPI_Scatter = 4 * 2 * 4
// expect: received MPI_Scatter rank 3 = 2 * 4
// expect: messages MPI_Scatter 3 -> 3 = 1
// expect: calls MPI_Scatterv = 4
// expect: sent MPI_Scatterv = 10 * 4
// expect: sent MPI_Scatterv rank 1 = 10 * 4
// expect: received MPI_Scatterv rank 0 = 4
// expect: received MPI_Scatterv rank 1 = 2 * 4
// expect: received MPI_Scatterv rank 2 = 3 * 4
// expect: received MPI_Scatterv rank 3 = 4 * 4
// expect: messages MPI_Scatterv 0 -> 1 = 1
// expect: calls MPI_Allgather = 4
// expect: sent MPI_Allgather = 4 * 4 * 4
// expect: sent MPI_Allgather rank 1 = 4 * 4
// expect: received MPI_Allgather = 4 * 4 * 2 * 8
// expect: received MPI_Allgather rank 1 = 4 * 2 * 8
// expect: calls MPI_Allgatherv = 4
// expect: sent MPI_Allgatherv rank 0 = 0
// expect: sent MPI_Allgatherv rank 1 = 4
// expect: sent MPI_Allgatherv rank 2 = 2 * 4
// expect: sent MPI_Allgatherv rank 3 = 3 * 4
// expect: received MPI_Allgatherv = 4 * 6 * 4
// expect: received MPI_Allgatherv rank 0 = 6 * 4
// expect: calls MPI_Alltoall = 4
// expect: sent MPI_Alltoall = 4 * 4 * 5 * 4
// expect: sent MPI_Alltoall rank 2 = 4 * 5 * 4
// expect: received MPI_Alltoall = 4 * 4 * 5 * 4
// expect: received MPI_Alltoall rank 2 = 4 * 5 * 4
// expect: calls MPI_Alltoallv = 4
// expect: sent MPI_Alltoallv = 4 * 10 * 4
// expect: sent MPI_Alltoallv rank 0 = 10 * 4
// expect: received MPI_Alltoallv rank 0 = 4 * 4
// expect: received MPI_Alltoallv rank 1 = 2 * 4 * 4
// expect: received MPI_Alltoallv rank 2 = 3 * 4 * 4
// expect: received MPI_Alltoallv rank 3 = 4 * 4 * 4
// expect: calls MPI_Alltoallw = 4
// expect: sent MPI_Alltoallw = 4 * 1 + 4 * 2 * 4 + 4 * 3
// expect: sent MPI_Alltoallw rank 0 = 1 + 2 * 4 + 3
// expect: received MPI_Alltoallw rank 0 = 0
// expect: received MPI_Alltoallw rank 1 = 4 * 1
// expect: received MPI_Alltoallw rank 2 = 4 * 2 * 4
// expect: received MPI_Alltoallw rank 3 = 4 * 3
// expect: calls MPI_Reduce = 4 * 2
// expect: sent MPI_Reduce = 4 * 5 * 12 + 4 * 4
// expect: sent MPI_Reduce rank 0 = 5 * 12 + 4
// expect: sent MPI_Reduce rank 2 = 5 * 12 + 4
// expect: received MPI_Reduce = 5 * 12 + 4
// expect: received MPI_Reduce rank 0 = 4
// expect: received MPI_Reduce rank 2 = 5 * 12
// expect: messages MPI_Reduce 1 -> 2 = 1
// expect: messages MPI_Reduce 1 -> 0 = 1
// expect: calls MPI_Allreduce = 4
// expect: sent MPI_Allreduce = 4 * 6 * 4
// expect: received MPI_Allreduce rank 3 = 6 * 4
// expect: calls MPI_Reduce_scatter_block = 4
// expect: sent MPI_Reduce_scatter_block = 4 * 4 * 3 * 4
// expect: sent MPI_Reduce_scatter_block rank 1 = 4 * 3 * 4
// expect: received MPI_Reduce_scatter_block = 4 * 3 * 4
// expect: received MPI_Reduce_scatter_block rank 1 = 3 * 4
// expect: calls MPI_Reduce_scatter = 4
// expect: sent MPI_Reduce_scatter = 4 * 10 * 4
// expect: sent MPI_Reduce_scatter rank 3 = 10 * 4
// expect: received MPI_Reduce_scatter rank 0 = 4
// expect: received MPI_Reduce_scatter rank 1 = 2 * 4
// expect: received MPI_Reduce_scatter rank 2 = 3 * 4
// expect: received MPI_Reduce_scatter rank 3 = 4 * 4
// expect: calls MPI_Scan = 4
// expect: sent MPI_Scan = 4 * 7 * 4
// expect: received MPI_Scan = 4 * 7 * 4
// expect: sent MPI_Scan rank 0 = 7 * 4
// expect: calls MPI_Exscan = 4
// expect: sent MPI_Exscan = 4 * 8 * 4
// expect: received MPI_Exscan = 4 * 8 * 4
// expect: received MPI_Exscan rank 0 = 8 * 4
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { P = 4, STEP = 5, ROOM = 64 };

static int rank, wrong;

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
    int in[ROOM], out[ROOM], all = 0;
    int steps[P], one_to_four[P], none_to_three[P], mine[P], bytes_at[P], rank_times[P];
    char text[1000];
    _Alignas(int) char from[P][16], to[P][16];
    MPI_Datatype types[P], my_types[P], none = MPI_DATATYPE_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    struct {
        double value;
        int index;
    } pairs[STEP] = {{0}}, best[STEP];
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
    for (int i = 0; i < ROOM; i++)
        in[i] = 100 * rank + i;
    memset(from, 'a' + rank, sizeof from);

    MPI_Barrier(world);
    out[9] = rank;
    MPI_Bcast(out, 10, MPI_INT, 1, world);
    check(out[9], 1);
    memset(text, 'a' + rank, sizeof text);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 3, world);
    check(text[999], 'a' + 3);

    MPI_Gather(in, 3, MPI_INT, at(0) ? out : NULL, at(0) ? 3 : -1, at(0) ? MPI_INT : none, 0, world);
    for (int i = 0; i < P && at(0); i++)
        check(out[3 * i + 2], 100 * i + 2);
    MPI_Gatherv(in, rank + 1, MPI_INT, out, at(2) ? one_to_four : NULL, at(2) ? steps : NULL,
                at(2) ? MPI_INT : none, 2, world);
    for (int i = 0; i < P && at(2); i++)
        check(out[STEP * i + i], 100 * i + i);
    MPI_Scatter(at(3) ? in : NULL, at(3) ? 2 : -1, at(3) ? MPI_INT : none, out, 2, MPI_INT, 3, world);
    check(out[1], 300 + 2 * rank + 1);
    MPI_Scatterv(at(1) ? in : NULL, at(1) ? one_to_four : NULL, at(1) ? steps : NULL,
                 at(1) ? MPI_INT : none, out, rank + 1, MPI_INT, 1, world);
    check(out[rank], 100 + STEP * rank + rank);

    MPI_Allgather(in, 4, MPI_INT, out, 2, MPI_2INT, world);
    check(out[15], 303);
    MPI_Allgatherv(in, rank, MPI_INT, out, none_to_three, steps, MPI_INT, world);
    check(out[STEP * 3 + 2], 302);
    MPI_Alltoall(in, STEP, MPI_INT, out, STEP, MPI_INT, world);
    check(out[STEP * 3], 300 + STEP * rank);
    MPI_Alltoallv(in, one_to_four, steps, MPI_INT, out, mine, steps, MPI_INT, world);
    check(out[STEP * 2 + rank], 200 + STEP * rank + rank);
    memset(to, 0, sizeof to);
    MPI_Alltoallw(from, none_to_three, bytes_at, types, to, rank_times, bytes_at, my_types, world);
    check(to[2][0], rank ? 'a' + 2 : 0);

    pairs[STEP - 1].value = rank == 1;
    pairs[STEP - 1].index = rank;
    MPI_Reduce(pairs, best, STEP, MPI_DOUBLE_INT, MPI_MAXLOC, 2, world);
    check(at(2) ? best[STEP - 1].index : 1, 1);
    MPI_Allreduce(in, out, 6, MPI_INT, MPI_SUM, world);
    check(out[5], 600 + P * 5);
    MPI_Reduce_scatter_block(in, out, 3, MPI_INT, MPI_SUM, world);
    check(out[0], 600 + P * 3 * rank);
    MPI_Reduce_scatter(in, out, one_to_four, MPI_INT, MPI_SUM, world);
    check(out[0], 600 + P * rank * (rank + 1) / 2);
    MPI_Scan(in, out, 7, MPI_INT, MPI_SUM, world);
    check(out[0], 100 * rank * (rank + 1) / 2);
    out[0] = 0;
    MPI_Exscan(in, out, 8, MPI_INT, MPI_SUM, world);
    check(at(0) ? 0 : out[0], 100 * rank * (rank - 1) / 2);

    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0 && all)
        printf("wrong: %d results\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
