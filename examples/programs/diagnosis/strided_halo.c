// Each rank exchanges two faces of its box with its neighbors by nonblocking calls. The planted ones lie across the rows: a datatype describes
// 131,072 pieces of one number each. The twin's are whole rows, as many bytes side by side.
// run: -n 2
// finding: data_in_pieces|transfer ranks - at MPI_Isend // face
#include "planted_work.h"

enum { ROWS = 131072, COLUMNS = 4 };

static double box[ROWS * COLUMNS], ghosts[2][ROWS * COLUMNS];

int main(int argc, char **argv)
{
    MPI_Datatype face;
    begin(argc, argv);
    if (twin)
        MPI_Type_contiguous(ROWS, MPI_DOUBLE, &face);
    else
        MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &face);
    MPI_Type_commit(&face);
    int neighbors[2] = {(rank + 1) % size, (rank + size - 1) % size};
    for (int step = 0; step < 100; step++) {
        MPI_Request requests[4];
        work(0.003);
        for (int side = 0; side < 2; side++)
            MPI_Irecv(ghosts[side], 1, face, neighbors[side], 1 - side, MPI_COMM_WORLD, &requests[side]);
        for (int side = 0; side < 2; side++)
            MPI_Isend(box, 1, face, neighbors[side], side, MPI_COMM_WORLD, &requests[2 + side]); // face
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Type_free(&face);
    return end();
}
