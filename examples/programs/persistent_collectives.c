// Every persistent collective, those of neighborhoods on a ring among them: made once, started three times together.
// What is stated of MPI_X_init is what moves at every start. What matters at the root only is nonsense elsewhere.
// run: -n 4
// needs: MPI_Allreduce_init
// also: MPI_Cart_create MPI_Comm_free MPI_Reduce
// expect: calls MPI_Barrier_init = 4
// expect: sent MPI_Barrier_init = 0
// expect: sent MPI_Barrier_init rank 3 = 0
// expect: received MPI_Barrier_init = 0
// expect: received MPI_Barrier_init rank 3 = 0
// expect: calls MPI_Bcast_init = 4
// expect: sent MPI_Bcast_init rank 0 = 0
// expect: sent MPI_Bcast_init rank 1 = 10 * 4
// expect: sent MPI_Bcast_init rank 2 = 0
// expect: sent MPI_Bcast_init rank 3 = 0
// expect: received MPI_Bcast_init rank 0 = 10 * 4
// expect: received MPI_Bcast_init rank 1 = 0
// expect: received MPI_Bcast_init rank 2 = 10 * 4
// expect: received MPI_Bcast_init rank 3 = 10 * 4
// expect: messages MPI_Bcast_init 2 -> 1 = 1
// expect: calls MPI_Gather_init = 4
// expect: sent MPI_Gather_init = 4 * 3 * 4
// expect: sent MPI_Gather_init rank 2 = 3 * 4
// expect: received MPI_Gather_init rank 0 = 4 * 3 * 4
// expect: received MPI_Gather_init rank 1 = 0
// expect: received MPI_Gather_init rank 2 = 0
// expect: received MPI_Gather_init rank 3 = 0
// expect: messages MPI_Gather_init 1 -> 0 = 1
// expect: calls MPI_Gatherv_init = 4
// expect: sent MPI_Gatherv_init rank 0 = 4
// expect: sent MPI_Gatherv_init rank 1 = 2 * 4
// expect: sent MPI_Gatherv_init rank 2 = 3 * 4
// expect: sent MPI_Gatherv_init rank 3 = 4 * 4
// expect: received MPI_Gatherv_init rank 0 = 0
// expect: received MPI_Gatherv_init rank 1 = 0
// expect: received MPI_Gatherv_init rank 2 = 10 * 4
// expect: received MPI_Gatherv_init rank 3 = 0
// expect: messages MPI_Gatherv_init 3 -> 2 = 1
// expect: calls MPI_Scatter_init = 4
// expect: sent MPI_Scatter_init rank 0 = 0
// expect: sent MPI_Scatter_init rank 1 = 0
// expect: sent MPI_Scatter_init rank 2 = 0
// expect: sent MPI_Scatter_init rank 3 = 4 * 2 * 4
// expect: received MPI_Scatter_init = 4 * 2 * 4
// expect: received MPI_Scatter_init rank 3 = 2 * 4
// expect: messages MPI_Scatter_init 0 -> 3 = 1
// expect: calls MPI_Scatterv_init = 4
// expect: sent MPI_Scatterv_init rank 0 = 0
// expect: sent MPI_Scatterv_init rank 1 = 10 * 4
// expect: sent MPI_Scatterv_init rank 2 = 0
// expect: sent MPI_Scatterv_init rank 3 = 0
// expect: received MPI_Scatterv_init rank 0 = 4
// expect: received MPI_Scatterv_init rank 1 = 2 * 4
// expect: received MPI_Scatterv_init rank 2 = 3 * 4
// expect: received MPI_Scatterv_init rank 3 = 4 * 4
// expect: messages MPI_Scatterv_init 2 -> 1 = 1
// expect: calls MPI_Allgather_init = 4
// expect: sent MPI_Allgather_init = 4 * 4 * 4
// expect: sent MPI_Allgather_init rank 1 = 4 * 4
// expect: received MPI_Allgather_init = 4 * 4 * 2 * 8
// expect: received MPI_Allgather_init rank 1 = 4 * 2 * 8
// expect: calls MPI_Allgatherv_init = 4
// expect: sent MPI_Allgatherv_init rank 0 = 0
// expect: sent MPI_Allgatherv_init rank 1 = 4
// expect: sent MPI_Allgatherv_init rank 2 = 2 * 4
// expect: sent MPI_Allgatherv_init rank 3 = 3 * 4
// expect: received MPI_Allgatherv_init = 4 * 6 * 4
// expect: received MPI_Allgatherv_init rank 2 = 6 * 4
// expect: calls MPI_Alltoall_init = 4
// expect: sent MPI_Alltoall_init = 4 * 4 * 5 * 4
// expect: sent MPI_Alltoall_init rank 0 = 4 * 5 * 4
// expect: received MPI_Alltoall_init = 4 * 4 * 5 * 4
// expect: received MPI_Alltoall_init rank 0 = 4 * 5 * 4
// expect: calls MPI_Alltoallv_init = 4
// expect: sent MPI_Alltoallv_init = 4 * 10 * 4
// expect: sent MPI_Alltoallv_init rank 1 = 10 * 4
// expect: received MPI_Alltoallv_init rank 0 = 4 * 4
// expect: received MPI_Alltoallv_init rank 1 = 4 * 2 * 4
// expect: received MPI_Alltoallv_init rank 2 = 4 * 3 * 4
// expect: received MPI_Alltoallv_init rank 3 = 4 * 4 * 4
// expect: calls MPI_Alltoallw_init = 4
// expect: sent MPI_Alltoallw_init = 4 * 12
// expect: sent MPI_Alltoallw_init rank 1 = 12
// expect: received MPI_Alltoallw_init rank 0 = 0
// expect: received MPI_Alltoallw_init rank 1 = 4 * 1
// expect: received MPI_Alltoallw_init rank 2 = 4 * 2 * 4
// expect: received MPI_Alltoallw_init rank 3 = 4 * 3
// expect: calls MPI_Reduce_init = 4
// expect: sent MPI_Reduce_init = 4 * 5 * 4
// expect: sent MPI_Reduce_init rank 2 = 5 * 4
// expect: received MPI_Reduce_init rank 0 = 0
// expect: received MPI_Reduce_init rank 1 = 0
// expect: received MPI_Reduce_init rank 2 = 5 * 4
// expect: received MPI_Reduce_init rank 3 = 0
// expect: messages MPI_Reduce_init 3 -> 2 = 1
// expect: calls MPI_Allreduce_init = 4
// expect: sent MPI_Allreduce_init = 4 * 6 * 4
// expect: sent MPI_Allreduce_init rank 1 = 6 * 4
// expect: received MPI_Allreduce_init = 4 * 6 * 4
// expect: received MPI_Allreduce_init rank 1 = 6 * 4
// expect: calls MPI_Reduce_scatter_block_init = 4
// expect: sent MPI_Reduce_scatter_block_init = 4 * 4 * 3 * 4
// expect: sent MPI_Reduce_scatter_block_init rank 0 = 4 * 3 * 4
// expect: received MPI_Reduce_scatter_block_init = 4 * 3 * 4
// expect: received MPI_Reduce_scatter_block_init rank 0 = 3 * 4
// expect: calls MPI_Reduce_scatter_init = 4
// expect: sent MPI_Reduce_scatter_init = 4 * 10 * 4
// expect: sent MPI_Reduce_scatter_init rank 2 = 10 * 4
// expect: received MPI_Reduce_scatter_init rank 0 = 4
// expect: received MPI_Reduce_scatter_init rank 1 = 2 * 4
// expect: received MPI_Reduce_scatter_init rank 2 = 3 * 4
// expect: received MPI_Reduce_scatter_init rank 3 = 4 * 4
// expect: calls MPI_Scan_init = 4
// expect: sent MPI_Scan_init = 4 * 7 * 4
// expect: sent MPI_Scan_init rank 0 = 7 * 4
// expect: received MPI_Scan_init = 4 * 7 * 4
// expect: received MPI_Scan_init rank 0 = 7 * 4
// expect: calls MPI_Exscan_init = 4
// expect: sent MPI_Exscan_init = 4 * 8 * 4
// expect: sent MPI_Exscan_init rank 2 = 8 * 4
// expect: received MPI_Exscan_init = 4 * 8 * 4
// expect: received MPI_Exscan_init rank 2 = 8 * 4
// expect: calls MPI_Neighbor_allgather_init = 4
// expect: sent MPI_Neighbor_allgather_init = 4 * 2 * 4
// expect: sent MPI_Neighbor_allgather_init rank 2 = 2 * 4
// expect: received MPI_Neighbor_allgather_init = 4 * 2 * 2 * 4
// expect: received MPI_Neighbor_allgather_init rank 2 = 2 * 2 * 4
// expect: calls MPI_Neighbor_allgatherv_init = 4
// expect: sent MPI_Neighbor_allgatherv_init rank 0 = 4
// expect: sent MPI_Neighbor_allgatherv_init rank 1 = 2 * 4
// expect: sent MPI_Neighbor_allgatherv_init rank 2 = 3 * 4
// expect: sent MPI_Neighbor_allgatherv_init rank 3 = 4 * 4
// expect: received MPI_Neighbor_allgatherv_init rank 0 = 4 * 4 + 2 * 4
// expect: received MPI_Neighbor_allgatherv_init rank 1 = 4 + 3 * 4
// expect: received MPI_Neighbor_allgatherv_init rank 2 = 2 * 4 + 4 * 4
// expect: received MPI_Neighbor_allgatherv_init rank 3 = 3 * 4 + 4
// expect: calls MPI_Neighbor_alltoall_init = 4
// expect: sent MPI_Neighbor_alltoall_init = 4 * 2 * 3 * 4
// expect: sent MPI_Neighbor_alltoall_init rank 1 = 2 * 3 * 4
// expect: received MPI_Neighbor_alltoall_init = 4 * 2 * 3 * 4
// expect: received MPI_Neighbor_alltoall_init rank 1 = 2 * 3 * 4
// expect: calls MPI_Neighbor_alltoallv_init = 4
// expect: sent MPI_Neighbor_alltoallv_init rank 0 = 4 * 4 + 2 * 4
// expect: sent MPI_Neighbor_alltoallv_init rank 1 = 4 + 3 * 4
// expect: sent MPI_Neighbor_alltoallv_init rank 2 = 2 * 4 + 4 * 4
// expect: sent MPI_Neighbor_alltoallv_init rank 3 = 3 * 4 + 4
// expect: received MPI_Neighbor_alltoallv_init rank 0 = 2 * 4
// expect: received MPI_Neighbor_alltoallv_init rank 1 = 2 * 2 * 4
// expect: received MPI_Neighbor_alltoallv_init rank 2 = 2 * 3 * 4
// expect: received MPI_Neighbor_alltoallv_init rank 3 = 2 * 4 * 4
// expect: calls MPI_Neighbor_alltoallw_init = 4
// expect: sent MPI_Neighbor_alltoallw_init = 4 * 2 * 2 * 4
// expect: sent MPI_Neighbor_alltoallw_init rank 2 = 2 * 2 * 4
// expect: received MPI_Neighbor_alltoallw_init = 4 * 2 * 2 * 4
// expect: received MPI_Neighbor_alltoallw_init rank 2 = 2 * 2 * 4
// expect: calls MPI_Startall = 3 * 4
// expect: sent MPI_Startall = 5400
// expect: received MPI_Startall = 5292
// expect: calls MPI_Waitall = 3 * 4
// expect: received MPI_Waitall = 0
// expect: calls MPI_Request_free = 22 * 4
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { P = 4, STEP = 5, ROUNDS = 3, ROOM = 64, ALL = 22 };

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
    MPI_Comm world = MPI_COMM_WORLD, ring;
    MPI_Request requests[ALL], *next = requests;
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
    int left = (rank + P - 1) % P, right = (rank + 1) % P;
    int two[] = {left + 1, right + 1}, twos[] = {2, 2};
    MPI_Aint far[] = {0, STEP * sizeof(int)};
    MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    MPI_Cart_create(world, 1, (int[]){P}, (int[]){1}, 0, &ring);
    // Before the requests are made, since MPICH 4.0 copies some of it then.
    for (int i = 0; i < ROOM; i++)
        in[i] = 100 * rank + i;
    memset(from, 'a' + rank, sizeof from);
    memset(to, 0, sizeof to);

    MPI_Barrier_init(world, MPI_INFO_NULL, next++);
    MPI_Bcast_init(out[0], 10, MPI_INT, 1, world, MPI_INFO_NULL, next++);
    MPI_Gatherv_init(in, rank + 1, MPI_INT, out[2], at(2) ? one_to_four : NULL, at(2) ? steps : NULL,
                     at(2) ? MPI_INT : none, 2, world, MPI_INFO_NULL, next++);
    MPI_Scatterv_init(in, at(1) ? one_to_four : NULL, at(1) ? steps : NULL, at(1) ? MPI_INT : none, out[4], rank + 1,
                      MPI_INT, 1, world, MPI_INFO_NULL, next++);
    MPI_Allgatherv_init(in, rank, MPI_INT, out[6], none_to_three, steps, MPI_INT, world, MPI_INFO_NULL, next++);
    MPI_Alltoall_init(in, STEP, MPI_INT, out[7], STEP, MPI_INT, world, MPI_INFO_NULL, next++);
    MPI_Alltoallv_init(in, one_to_four, steps, MPI_INT, out[8], mine, steps, MPI_INT, world, MPI_INFO_NULL, next++);
    MPI_Alltoallw_init(from, none_to_three, bytes_at, types, to, rank_times, bytes_at, my_types, world, MPI_INFO_NULL,
                       next++);
    MPI_Reduce_init(in, out[9], STEP, MPI_INT, MPI_MAX, 2, world, MPI_INFO_NULL, next++);
    MPI_Allreduce_init(in, out[10], 6, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, next++);
    MPI_Reduce_scatter_block_init(in, out[11], 3, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, next++);
    MPI_Reduce_scatter_init(in, out[12], one_to_four, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, next++);
    MPI_Scan_init(in, out[13], 7, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, next++);
    MPI_Exscan_init(in, out[14], 8, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, next++);
    MPI_Neighbor_allgather_init(in, 2, MPI_INT, out[15], 2, MPI_INT, ring, MPI_INFO_NULL, next++);
    MPI_Neighbor_allgatherv_init(in, rank + 1, MPI_INT, out[16], two, steps, MPI_INT, ring, MPI_INFO_NULL, next++);
    MPI_Neighbor_alltoall_init(in, 3, MPI_INT, out[17], 3, MPI_INT, ring, MPI_INFO_NULL, next++);
    MPI_Neighbor_alltoallv_init(in, two, steps, MPI_INT, out[18], mine, steps, MPI_INT, ring, MPI_INFO_NULL, next++);
    MPI_Neighbor_alltoallw_init(in, twos, far, ints, out[19], twos, far, ints, ring, MPI_INFO_NULL, next++);
    // MPICH 4.0 and Intel MPI break off or give wrong results when these three are started again.
    MPI_Gather_init(in, 3, MPI_INT, at(0) ? out[1] : NULL, at(0) ? 3 : -1, at(0) ? MPI_INT : none, 0, world,
                    MPI_INFO_NULL, next++);
    MPI_Scatter_init(at(3) ? in : NULL, at(3) ? 2 : -1, at(3) ? MPI_INT : none, out[3], 2, MPI_INT, 3, world,
                     MPI_INFO_NULL, next++);
    MPI_Allgather_init(in, 4, MPI_INT, out[5], 2, MPI_2INT, world, MPI_INFO_NULL, next++);

    for (int round = 0; round < ROUNDS; round++) {
        out[0][9] = rank;
        int started = round == 0 ? ALL : ALL - 3;
        MPI_Startall(started, requests);
        MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
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
        check(out[15][2], 100 * right);
        check(out[16][STEP + right], 100 * right + right);
        check(out[17][0], 100 * left + 3);
        check(out[18][STEP], 100 * right);
        check(out[19][STEP], 100 * right);
    }
    while (next > requests)
        MPI_Request_free(--next);
    MPI_Comm_free(&ring);

    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0 && all)
        printf("wrong: %d results\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
