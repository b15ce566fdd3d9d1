// Even ranks send the edges of a graph one by one to the rank behind them, with nothing received between.
// run: -n 2
// finding: small_messages ranks even at MPI_Send // edges
#include "planted_work.h"

enum { EDGES = 4000 };

int main(int argc, char **argv)
{
    static double edges[EDGES];
    begin(argc, argv);
    for (int step = 0; step < 40; step++) {
        work(0.005);
        for (int edge = 0; !twin && edge < EDGES; edge++) {
            if (rank % 2 == 0)
                MPI_Send(&edges[edge], 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); // edges
            else
                MPI_Recv(&edges[edge], 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (twin && rank % 2 == 0)
            MPI_Send(edges, EDGES, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        else if (twin)
            MPI_Recv(edges, EDGES, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return end();
}
