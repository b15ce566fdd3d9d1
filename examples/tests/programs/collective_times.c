// Four ranks of one host call MPI_Allreduce, to which rank 1 comes 2 ms late, and MPI_Bcast. Rank 0 says how long they take from the
// first rank in to the last one out, until the last one is in, and in a rank.
// run: -n 4
#include <mpi.h>
#include "measured.h"

enum { ROUNDS = 31, RANKS = 4, BYTES = 1 << 16 };

static char data[BYTES], sum[8];
static double own[2][ROUNDS], all[RANKS][2][ROUNDS];

static void say(const char *function)
{
    double wholes[ROUNDS], skews[ROUNDS], ranks[ROUNDS];
    MPI_Gather(own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        double first = all[0][0][round], late = first, last = all[0][1][round], times[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            double begin = all[rank][0][round], end = all[rank][1][round];
            first = begin < first ? begin : first;
            late = begin > late ? begin : late;
            last = end > last ? end : last;
            times[rank] = end - begin;
        }
        wholes[round] = last - first;
        skews[round] = late - first;
        ranks[round] = median(times, RANKS);
    }
    tell("first to last", function, median(wholes, ROUNDS));
    tell("skew", function, median(skews, ROUNDS));
    tell("rank", function, median(ranks, ROUNDS));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int broadcasts = 0; broadcasts < 2; broadcasts++) {
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (!broadcasts && rank == 1)
                compute(0.002);
            own[0][round] = now();
            if (broadcasts)
                MPI_Bcast(data, BYTES, MPI_BYTE, 2, MPI_COMM_WORLD);
            else
                MPI_Allreduce(data, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            own[1][round] = now();
        }
        if (rank == 0)
            say(broadcasts ? "MPI_Bcast" : "MPI_Allreduce");
        else
            MPI_Gather(own, sizeof own, MPI_BYTE, NULL, 0, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
