// A mesh of which two ranks share 1,200 faces: each face is a message whose tag is the face's number. They are sent in the order of the sender's
// numbering, and received in that of the receiver, which runs the other way, so that the library looks for each message behind all
// that came before it. Cured: received in the order in which they are sent.
#include "third.h"

enum { FACES = 1200, VALUES = 16, STEPS = 150 };

static double out[FACES][VALUES], in[FACES][VALUES];

static void exchange(void)
{
    static MPI_Request sends[FACES];
    int other = 1 - rank;
    for (int face = 0; face < FACES; face++)
        MPI_Isend(out[face], VALUES, MPI_DOUBLE, other, face, MPI_COMM_WORLD, &sends[face]); // send a face
    for (int i = 0; i < FACES; i++) {
        int face = cured ? i : FACES - 1 - i;
        MPI_Recv(in[face], VALUES, MPI_DOUBLE, other, face, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // one face
    }
    MPI_Waitall(FACES, sends, MPI_STATUSES_IGNORE); // all faces sent
}

static void compute(int step)
{
    for (int face = 0; face < FACES; face++)
        for (int i = 0; i < VALUES; i++)
            out[face][i] = rank + step + face + i;
    work_ms(0.5);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        compute(step);
        exchange();
        for (int face = 0; face < FACES; face++)
            correct &= in[face][VALUES - 1] == 1 - rank + step + face + VALUES - 1;
    }
    return end(correct);
}
