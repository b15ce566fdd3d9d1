// Rank 0 takes the results of two ranks in their order and works on each; rank 1's comes last. Cured: it takes what is there first.
#include "held_out.h"

enum { ROUNDS = 60 };

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0;
        if (rank == 0) {
            for (int from = 1; from < size; from++) {
                int result;
                MPI_Recv(&result, 1, MPI_INT, cured ? MPI_ANY_SOURCE : from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // in rank order
                rest(0.006);
                sum += result;
            }
        } else {
            rest(rank == 1 ? 0.018 : 0.004);
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        }
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD); // next round
        correct &= sum == size * (size - 1) / 2;
    }
    return end(correct);
}
