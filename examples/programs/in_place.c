// Collectives with MPI_IN_PLACE: what would be sent lies where the result goes, so that Gather's root sends nothing and
// Scatter's root receives nothing. The arguments that MPI_IN_PLACE makes meaningless are null.
// run: -n 4
// expect: calls MPI_Allreduce = 4
// expect: sent MPI_Allreduce rank 0 = 6 * 4
// expect: received MPI_Allreduce rank 0 = 6 * 4
// expect: calls MPI_Reduce = 4 * 2
// expect: sent MPI_Reduce = 4 * 5 * 4 + 4 * 4
// expect: sent MPI_Reduce rank 2 = 5 * 4 + 4
// expect: received MPI_Reduce rank 2 = 5 * 4
// expect: received MPI_Reduce rank 1 = 0
// expect: received MPI_Reduce rank 0 = 4
// expect: calls MPI_Allgather = 4
// expect: sent MPI_Allgather = 4 * 3 * 4
// expect: sent MPI_Allgather rank 1 = 3 * 4
// expect: received MPI_Allgather rank 1 = 4 * 3 * 4
// expect: calls MPI_Allgatherv = 4
// expect: sent MPI_Allgatherv rank 0 = 4
// expect: sent MPI_Allgatherv rank 1 = 2 * 4
// expect: sent MPI_Allgatherv rank 2 = 3 * 4
// expect: sent MPI_Allgatherv rank 3 = 4 * 4
// expect: received MPI_Allgatherv = 4 * 10 * 4
// expect: received MPI_Allgatherv rank 0 = 10 * 4
// expect: calls MPI_Gather = 4
// expect: sent MPI_Gather = 3 * 3 * 4
// expect: sent MPI_Gather rank 1 = 0
// expect: sent MPI_Gather rank 0 = 3 * 4
// expect: received MPI_Gather = 4 * 3 * 4
// expect: received MPI_Gather rank 1 = 4 * 3 * 4
// expect: calls MPI_Gatherv = 4
// expect: sent MPI_Gatherv rank 0 = 4
// expect: sent MPI_Gatherv rank 2 = 0
// expect: sent MPI_Gatherv rank 3 = 4 * 4
// expect: received MPI_Gatherv = 10 * 4
// expect: received MPI_Gatherv rank 2 = 10 * 4
// expect: calls MPI_Scatter = 4
// expect: sent MPI_Scatter = 4 * 2 * 4
// expect: sent MPI_Scatter rank 3 = 4 * 2 * 4
// expect: received MPI_Scatter = 3 * 2 * 4
// expect: received MPI_Scatter rank 3 = 0
// expect: received MPI_Scatter rank 0 = 2 * 4
// expect: calls MPI_Scatterv = 4
// expect: sent MPI_Scatterv = 10 * 4
// expect: sent MPI_Scatterv rank 1 = 10 * 4
// expect: received MPI_Scatterv rank 0 = 4
// expect: received MPI_Scatterv rank 1 = 0
// expect: received MPI_Scatterv rank 3 = 4 * 4
// expect: calls MPI_Alltoall = 4
// expect: sent MPI_Alltoall rank 0 = 4 * 5 * 4
// expect: received MPI_Alltoall rank 0 = 4 * 5 * 4
// expect: calls MPI_Alltoallv = 4
// expect: sent MPI_Alltoallv rank 0 = 6 * 4
// expect: sent MPI_Alltoallv rank 3 = 18 * 4
// expect: received MPI_Alltoallv rank 0 = 6 * 4
// expect: received MPI_Alltoallv rank 3 = 18 * 4
// expect: calls MPI_Alltoallw = 4
// expect: sent MPI_Alltoallw rank 0 = 6 * 4
// expect: sent MPI_Alltoallw rank 2 = 14 * 4
// expect: received MPI_Alltoallw rank 2 = 14 * 4
// expect: calls MPI_Scan = 4
// expect: sent MPI_Scan rank 1 = 7 * 4
// expect: received MPI_Scan rank 1 = 7 * 4
// expect: calls MPI_Exscan = 4
// expect: sent MPI_Exscan rank 0 = 8 * 4
// expect: received MPI_Exscan rank 0 = 8 * 4
// expect: calls MPI_Reduce_scatter_block = 4
// expect: sent MPI_Reduce_scatter_block rank 1 = 4 * 3 * 4
// expect: received MPI_Reduce_scatter_block rank 1 = 3 * 4
// expect: calls MPI_Reduce_scatter = 4
// expect: sent MPI_Reduce_scatter rank 0 = 10 * 4
// expect: received MPI_Reduce_scatter rank 0 = 4
// expect: received MPI_Reduce_scatter rank 3 = 4 * 4
#include <mpi.h>
#include <stdio.h>

enum { P = 4, STEP = 8, ROOM = 64 };

static int rank, wrong, values[ROOM];

static void *fresh(void)
{
    for (int i = 0; i < ROOM; i++)
        values[i] = 100 * rank + i;
    return values;
}

static void check(int seen, int expected)
{
    wrong += seen != expected;
}

int main(int argc, char **argv)
{
    int all = 0, steps[P], bytes_at[P], one_to_four[P], sums[P], few[ROOM];
    MPI_Datatype types[P], none = MPI_DATATYPE_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    for (int i = 0; i < P; i++) {
        steps[i] = STEP * i;
        bytes_at[i] = STEP * i * sizeof(int);
        one_to_four[i] = i + 1;
        sums[i] = rank + i;
        types[i] = MPI_INT;
    }

    MPI_Allreduce(MPI_IN_PLACE, fresh(), 6, MPI_INT, MPI_SUM, world);
    check(values[5], 600 + P * 5);
    fresh();
    MPI_Reduce(rank == 2 ? MPI_IN_PLACE : values, rank == 2 ? values : NULL, 5, MPI_INT, MPI_SUM, 2, world);
    check(values[4], rank == 2 ? 600 + P * 4 : 100 * rank + 4);
    MPI_Allgather(MPI_IN_PLACE, 0, none, fresh(), 3, MPI_INT, world);
    check(values[9], 309);
    MPI_Allgatherv(MPI_IN_PLACE, 0, none, fresh(), one_to_four, steps, MPI_INT, world);
    check(values[3 * STEP], 300 + 3 * STEP);

    fresh();
    if (rank == 1)
        MPI_Gather(MPI_IN_PLACE, 0, none, values, 3, MPI_INT, 1, world);
    else
        MPI_Gather(values, 3, MPI_INT, NULL, 0, none, 1, world);
    check(values[9], rank == 1 ? 300 : 100 * rank + 9);
    fresh();
    if (rank == 2)
        MPI_Gatherv(MPI_IN_PLACE, 0, none, values, one_to_four, steps, MPI_INT, 2, world);
    else
        MPI_Gatherv(values, rank + 1, MPI_INT, NULL, NULL, NULL, none, 2, world);
    check(values[3 * STEP], rank == 2 ? 300 : 100 * rank + 3 * STEP);
    fresh();
    if (rank == 3)
        MPI_Scatter(values, 2, MPI_INT, MPI_IN_PLACE, 0, none, 3, world);
    else
        MPI_Scatter(NULL, 0, none, few, 2, MPI_INT, 3, world);
    check(rank == 3 ? 0 : few[0], rank == 3 ? 0 : 300 + 2 * rank);
    if (rank == 1)
        MPI_Scatterv(values, one_to_four, steps, MPI_INT, MPI_IN_PLACE, 0, none, 1, world);
    else
        MPI_Scatterv(NULL, NULL, NULL, none, few, rank + 1, MPI_INT, 1, world);
    check(rank == 1 ? 0 : few[0], rank == 1 ? 0 : 100 + STEP * rank);

    MPI_Alltoall(MPI_IN_PLACE, 0, none, fresh(), 5, MPI_INT, world);
    check(values[15], 300 + 5 * rank);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, fresh(), sums, steps, MPI_INT, world);
    check(values[3 * STEP], 300 + STEP * rank);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, fresh(), sums, bytes_at, types, world);
    check(values[3 * STEP], 300 + STEP * rank);

    MPI_Scan(MPI_IN_PLACE, fresh(), 7, MPI_INT, MPI_SUM, world);
    check(values[0], 100 * rank * (rank + 1) / 2);
    MPI_Exscan(MPI_IN_PLACE, fresh(), 8, MPI_INT, MPI_SUM, world);
    check(rank == 0 ? 0 : values[0], 100 * rank * (rank - 1) / 2);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, fresh(), 3, MPI_INT, MPI_SUM, world);
    check(values[0], 600 + P * 3 * rank);
    MPI_Reduce_scatter(MPI_IN_PLACE, fresh(), one_to_four, MPI_INT, MPI_SUM, world);
    check(values[0], 600 + P * rank * (rank + 1) / 2);

    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0 && all)
        printf("wrong: %d results\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
