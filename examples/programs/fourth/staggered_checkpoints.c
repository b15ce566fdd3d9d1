// Ranks pack their state and write it to a checkpoint every ten steps, but not in the same step, so as not to burden the disk at once. As they exchange
// their borders in each step, every rank waits for each one's checkpoint. Cured: all in the same step.
#include "../third/third.h"
#include <fcntl.h>
#include <stdint.h>

enum { CELLS = 300000, EVERY = 10, STEPS = 1000, LEVEL = 1000 };

static double state[CELLS + 2];
static unsigned char packed[CELLS * 9];
static int file;
static long written;

static void exchange(void)
{
    int other = size - 1 - rank;
    MPI_Sendrecv(&state[1], 1, MPI_DOUBLE, other, 0, &state[CELLS + 1], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // first cell
    MPI_Sendrecv(&state[CELLS], 1, MPI_DOUBLE, other, 1, &state[0], 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // last cell
}

static void relax(void)
{
    double left = state[0];
    for (int i = 1; i <= CELLS; i++) {
        double here = state[i];
        state[i] = 0.5 * here + 0.25 * (left + state[i + 1]);
        left = here;
    }
}

// Numbers as what they differ by from the one before, without the zeros in front.
static long pack(void)
{
    long at = 0;
    uint64_t before = 0;
    for (int i = 1; i <= CELLS; i++) {
        uint64_t bits, difference;
        memcpy(&bits, &state[i], sizeof bits);
        difference = bits ^ before;
        before = bits;
        long count = at++;
        for (; difference; difference >>= 8)
            packed[at++] = (unsigned char)difference;
        packed[count] = (unsigned char)(at - count - 1);
    }
    return at;
}

static void checkpoint(void)
{
    long bytes = pack();
    written += pwrite(file, packed, (size_t)bytes, 0) == bytes;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    char name[] = P_tmpdir "/checkpoint.XXXXXX";
    file = mkstemp(name);
    unlink(name);
    for (int i = 1; i <= CELLS; i++)
        state[i] = LEVEL + (double)(random_of((unsigned)(rank * CELLS + i)) % 1000) / 1e6;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        exchange();
        relax();
        if (step % EVERY == (cured ? 0 : rank * EVERY / size))
            checkpoint();
    }
    int correct = written == STEPS / EVERY;
    for (int i = 1; i <= CELLS; i++)
        correct &= state[i] >= LEVEL && state[i] <= LEVEL + 1;
    close(file);
    return end(correct);
}
