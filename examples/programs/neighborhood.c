// Neighborhood collectives on a grid of 2 by 2 with an open side, on a graph whose ranks have different numbers of
// neighbors in and out, on its duplicate, and on a star as MPI-1 describes it; blocking and not.
// run: -n 4
// also: MPI_Cart_create MPI_Dist_graph_create_adjacent MPI_Graph_create MPI_Comm_dup MPI_Comm_free MPI_Reduce
// expect: calls MPI_Neighbor_allgather = 4 * 3
// expect: sent MPI_Neighbor_allgather rank 0 = 3 * 2 * 4
// expect: sent MPI_Neighbor_allgather rank 3 = 3 * 2 * 4
// expect: received MPI_Neighbor_allgather rank 0 = 4 * 2 * 4 + 1 * 2 * 4 + 3 * 2 * 4
// expect: received MPI_Neighbor_allgather rank 1 = 4 * 2 * 4 + 1 * 2 * 4 + 1 * 2 * 4
// expect: received MPI_Neighbor_allgather rank 2 = 4 * 2 * 4 + 2 * 2 * 4 + 1 * 2 * 4
// expect: received MPI_Neighbor_allgather rank 3 = 4 * 2 * 4 + 1 * 2 * 4 + 1 * 2 * 4
// expect: calls MPI_Neighbor_allgatherv = 4
// expect: sent MPI_Neighbor_allgatherv rank 0 = 4
// expect: sent MPI_Neighbor_allgatherv rank 3 = 4 * 4
// expect: received MPI_Neighbor_allgatherv rank 0 = 3 * 4
// expect: received MPI_Neighbor_allgatherv rank 2 = 1 * 4 + 2 * 4
// expect: calls MPI_Neighbor_alltoall = 4 * 2
// expect: sent MPI_Neighbor_alltoall rank 0 = 4 * 3 * 4 + 3 * 3 * 4
// expect: sent MPI_Neighbor_alltoall rank 1 = 4 * 3 * 4 + 1 * 3 * 4
// expect: sent MPI_Neighbor_alltoall rank 3 = 4 * 3 * 4
// expect: received MPI_Neighbor_alltoall rank 0 = 4 * 3 * 4 + 1 * 3 * 4
// expect: received MPI_Neighbor_alltoall rank 2 = 4 * 3 * 4 + 2 * 3 * 4
// expect: calls MPI_Neighbor_alltoallv = 4
// expect: sent MPI_Neighbor_alltoallv rank 0 = 2 * 4 + 3 * 4 + 4 * 4
// expect: sent MPI_Neighbor_alltoallv rank 1 = 3 * 4
// expect: sent MPI_Neighbor_alltoallv rank 2 = 1 * 4
// expect: sent MPI_Neighbor_alltoallv rank 3 = 0
// expect: received MPI_Neighbor_alltoallv rank 0 = 1 * 4
// expect: received MPI_Neighbor_alltoallv rank 1 = 2 * 4
// expect: received MPI_Neighbor_alltoallv rank 2 = 2 * 3 * 4
// expect: received MPI_Neighbor_alltoallv rank 3 = 4 * 4
// expect: calls MPI_Neighbor_alltoallw = 4
// expect: sent MPI_Neighbor_alltoallw rank 0 = 2 * 1 + 3 * 4 + 4 * 1
// expect: sent MPI_Neighbor_alltoallw rank 1 = 4
// expect: sent MPI_Neighbor_alltoallw rank 2 = 4
// expect: sent MPI_Neighbor_alltoallw rank 3 = 4
// expect: received MPI_Neighbor_alltoallw rank 0 = 3 * 4
// expect: received MPI_Neighbor_alltoallw rank 1 = 2 * 1
// expect: received MPI_Neighbor_alltoallw rank 2 = 3 * 4
// expect: received MPI_Neighbor_alltoallw rank 3 = 4 * 1
// expect: calls MPI_Ineighbor_allgather = 4
// expect: sent MPI_Ineighbor_allgather rank 3 = 2 * 4
// expect: received MPI_Ineighbor_allgather rank 2 = 2 * 2 * 4
// expect: received MPI_Ineighbor_allgather rank 3 = 1 * 2 * 4
// expect: calls MPI_Ineighbor_allgatherv = 4
// expect: sent MPI_Ineighbor_allgatherv rank 1 = 2 * 4
// expect: received MPI_Ineighbor_allgatherv rank 2 = 1 * 4 + 2 * 4
// expect: calls MPI_Ineighbor_alltoall = 4
// expect: sent MPI_Ineighbor_alltoall rank 0 = 3 * 3 * 4
// expect: sent MPI_Ineighbor_alltoall rank 3 = 0
// expect: received MPI_Ineighbor_alltoall rank 2 = 2 * 3 * 4
// expect: calls MPI_Ineighbor_alltoallv = 4
// expect: sent MPI_Ineighbor_alltoallv rank 0 = 2 * 4 + 3 * 4 + 4 * 4
// expect: received MPI_Ineighbor_alltoallv rank 2 = 2 * 3 * 4
// expect: calls MPI_Ineighbor_alltoallw = 4
// expect: sent MPI_Ineighbor_alltoallw rank 0 = 2 * 1 + 3 * 4 + 4 * 1
// expect: sent MPI_Ineighbor_alltoallw rank 1 = 4
// expect: sent MPI_Ineighbor_alltoallw rank 2 = 4
// expect: sent MPI_Ineighbor_alltoallw rank 3 = 4
// expect: received MPI_Ineighbor_alltoallw rank 0 = 3 * 4
// expect: received MPI_Ineighbor_alltoallw rank 1 = 2 * 1
// expect: received MPI_Ineighbor_alltoallw rank 2 = 3 * 4
// expect: received MPI_Ineighbor_alltoallw rank 3 = 4 * 1
// expect: calls MPI_Waitall = 4
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { P = 4, STEP = 16 };

// Who sends to whom in the graph, a row for each sender.
static const int edges[P][P] = {{0, 1, 1, 1}, {0, 0, 1, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};

static int rank, wrong, out[4][P * STEP];
static _Alignas(int) char came[P * STEP];

// Whether every neighbor's number has come.
static void check(int indegree, const int *sources)
{
    for (int i = 0; i < indegree; i++) {
        wrong += out[0][2 * i] != sources[i] || out[1][STEP * i] != sources[i];
        wrong += out[2][3 * i] != sources[i] || out[3][STEP * i + rank] != sources[i];
    }
    for (int i = 0; i < (rank == 0 ? P - 1 : 1); i++)
        wrong += came[STEP * i + rank] != 'a' + (rank == 0 ? i + 1 : 0);
}

int main(int argc, char **argv)
{
    int all = 0, above, below, indegree = 0, outdegree = 0;
    int sources[P], destinations[P], from[P], mine[P], to[P], steps[P], to_neighbor[P], from_neighbor[P];
    MPI_Aint bytes_at[P];
    MPI_Datatype types[P], my_types[P];
    int in[P * STEP];
    _Alignas(int) char bytes[P * STEP];
    MPI_Comm world = MPI_COMM_WORLD, grid, graph, copy, star;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    for (int i = 0; i < P; i++) {
        if (edges[i][rank]) {
            from[indegree] = i + 1;
            mine[indegree] = rank + 1;
            sources[indegree++] = i;
        }
        if (edges[rank][i]) {
            to[outdegree] = i + 1;
            destinations[outdegree++] = i;
        }
        steps[i] = bytes_at[i] = STEP * i;
        // The middle of the star has the others for neighbors, and each of them has the middle.
        int neighbor = rank == 0 && i < P - 1 ? i + 1 : 0;
        to_neighbor[i] = neighbor + 1;
        from_neighbor[i] = rank + 1;
        types[i] = neighbor % 2 ? MPI_CHAR : MPI_INT;
        my_types[i] = rank % 2 ? MPI_CHAR : MPI_INT;
    }
    for (int i = 0; i < P * STEP; i++)
        in[i] = rank;
    memset(bytes, 'a' + rank, sizeof bytes);
    memset(out, -1, sizeof out);
    MPI_Cart_create(world, 2, (int[]){2, 2}, (int[]){1, 0}, 0, &grid);
    MPI_Graph_create(world, P, (int[]){3, 4, 5, 6}, (int[]){1, 2, 3, 0, 0, 0}, 0, &star);
    MPI_Dist_graph_create_adjacent(world, indegree, sources, MPI_UNWEIGHTED, outdegree, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_dup(graph, &copy);

    MPI_Cart_shift(grid, 0, 1, &above, &below);
    MPI_Neighbor_allgather(in, 2, MPI_INT, out[0], 2, MPI_INT, grid);
    MPI_Neighbor_alltoall(in, 3, MPI_INT, out[1], 3, MPI_INT, grid);
    wrong += out[0][1] != above || out[0][2] != below || out[1][2] != above || out[1][3] != below;
    MPI_Neighbor_allgather(in, 2, MPI_INT, out[2], 2, MPI_INT, star);
    wrong += out[2][0] != (rank == 0 ? 1 : 0) || out[2][4] != (rank == 0 ? 3 : -1);

    MPI_Neighbor_allgather(in, 2, MPI_INT, out[0], 2, MPI_INT, graph);
    MPI_Neighbor_allgatherv(in, rank + 1, MPI_INT, out[1], from, steps, MPI_INT, graph);
    MPI_Neighbor_alltoall(in, 3, MPI_INT, out[2], 3, MPI_INT, graph);
    MPI_Neighbor_alltoallv(in, to, steps, MPI_INT, out[3], mine, steps, MPI_INT, graph);
    // On the graph MPICH 4.0 takes the number of neighbors on one side for that on the other.
    MPI_Neighbor_alltoallw(bytes, to_neighbor, bytes_at, types, came, from_neighbor, bytes_at, my_types, star);
    check(indegree, sources);

    MPI_Request requests[5];
    memset(out, -1, sizeof out);
    memset(came, 0, sizeof came);
    MPI_Ineighbor_allgather(in, 2, MPI_INT, out[0], 2, MPI_INT, copy, &requests[0]);
    MPI_Ineighbor_allgatherv(in, rank + 1, MPI_INT, out[1], from, steps, MPI_INT, copy, &requests[1]);
    MPI_Ineighbor_alltoall(in, 3, MPI_INT, out[2], 3, MPI_INT, copy, &requests[2]);
    MPI_Ineighbor_alltoallv(in, to, steps, MPI_INT, out[3], mine, steps, MPI_INT, copy, &requests[3]);
    MPI_Ineighbor_alltoallw(bytes, to_neighbor, bytes_at, types, came, from_neighbor, bytes_at, my_types, star,
                            &requests[4]);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    check(indegree, sources);

    MPI_Comm_free(&grid);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&star);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0 && all)
        printf("wrong: %d results\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
