// Tests each of four receives after each quarter microsecond of work, though the other rank sends when its work is done. Cured: after each 50
// microseconds.
#include "unseen.h"

enum { MESSAGES = 4, WORDS = 200, STEPS = 100, TURNS = 800000 };

static int out[MESSAGES][WORDS], in[MESSAGES][WORDS];

static void work_and_look(MPI_Request *requests)
{
    int slice = cured ? 30000 : 150, done;
    for (int turn = 0; turn < TURNS; turn += slice) {
        spend(slice);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE); // look
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    MPI_Request receives[MESSAGES], sends[MESSAGES];
    int correct = 1, other = 1 - rank;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(in[i], WORDS, MPI_INT, other, i, MPI_COMM_WORLD, &receives[i]);
        work_and_look(receives);
        for (int i = 0; i < MESSAGES; i++) {
            out[i][WORDS - 1] = step + i;
            MPI_Isend(out[i], WORDS, MPI_INT, other, i, MPI_COMM_WORLD, &sends[i]);
        }
        MPI_Waitall(MESSAGES, receives, MPI_STATUSES_IGNORE); // arrived
        MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE); // gone
        correct &= in[MESSAGES - 1][WORDS - 1] == step + MESSAGES - 1;
    }
    return end(correct);
}
