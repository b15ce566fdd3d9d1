// A plane is described by a datatype of 250,000 pieces of one number each, in every other place of an array. Cured: the plane has an array
// of its own, and lies there without gaps.
#include "held_out.h"

enum { COUNT = 250000, STEPS = 250 };

static MPI_Datatype described(void)
{
    MPI_Datatype type;
    if (cured) {
        MPI_Type_contiguous(COUNT, MPI_DOUBLE, &type);
    } else {
        int *lengths = malloc(COUNT * sizeof *lengths);
        MPI_Aint *places = malloc(COUNT * sizeof *places);
        for (int piece = 0; piece < COUNT; piece++) {
            lengths[piece] = 1;
            places[piece] = 16 * piece;
        }
        MPI_Type_create_hindexed(COUNT, lengths, places, MPI_DOUBLE, &type);
        free(lengths);
        free(places);
    }
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    double *plane = calloc(2 * COUNT, sizeof *plane), *other = calloc(2 * COUNT, sizeof *other);
    MPI_Datatype type = described();
    int peer = rank ^ 1, correct = 1;
    size_t last = cured ? COUNT - 1 : 2 * (COUNT - 1);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        plane[last] = rank + step;
        MPI_Sendrecv(plane, 1, type, peer, 0, other, 1, type, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // plane
        correct &= other[last] == peer + step && grind(300000) > 0;
    }
    MPI_Type_free(&type);
    return end(correct);
}
