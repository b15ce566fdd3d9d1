// What is exchanged is described by a datatype of 100,000 pieces of one number each, in every other place of an array. The twin has it side by
// side. Where ranks share cores, their calls wait for these, and only the time in MPI is told.
// run: -n 2
// finding: data_in_pieces|transfer ranks - at MPI_Sendrecv // exchange
#include "planted_work.h"

enum { COUNT = 100000 };

int main(int argc, char **argv)
{
    static double own[2 * COUNT], other[2 * COUNT];
    MPI_Datatype pieces;
    begin(argc, argv);
    MPI_Type_vector(COUNT, 1, twin ? 1 : 2, MPI_DOUBLE, &pieces);
    MPI_Type_commit(&pieces);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int step = 0; step < 100; step++) {
        work(0.003);
        MPI_Sendrecv(own, 1, pieces, next, 0, other, 1, pieces, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // exchange
    }
    MPI_Type_free(&pieces);
    return end();
}
