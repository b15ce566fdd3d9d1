// Each rank owns a quarter of a table, and needs something of every quarter in each step. All ask rank 0 first, then rank 1, and so on, and the one whom
// all ask answers one after another while the others wait. Cured: each begins with its own part, and goes on with the next rank's.
#include "../third/third.h"

enum { STEPS = 12, ASK, ANSWER };

static long sum;

static int value(int owner, int key)
{
    return (int)(random_of((unsigned)(owner * 1000 + key)) % 1000);
}

static int look_up(int key)
{
    offload_ms(4);
    return value(rank, key);
}

static void answer(int asker)
{
    int key, found;
    MPI_Status status;
    MPI_Recv(&key, 1, MPI_INT, asker, ASK, MPI_COMM_WORLD, &status); // question
    found = look_up(key);
    MPI_Send(&found, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD); // found
}

static void ask_all(int key)
{
    for (int turn = 0; turn < size; turn++) {
        int owner = cured ? (rank + turn) % size : turn, found;
        if (owner == rank) {
            sum += look_up(key);
            for (int others = 1; others < size && !cured; others++)
                answer(MPI_ANY_SOURCE);
            continue;
        }
        MPI_Send(&key, 1, MPI_INT, owner, ASK, MPI_COMM_WORLD); // ask the owner
        if (cured)
            answer((rank - turn + size) % size);
        MPI_Recv(&found, 1, MPI_INT, owner, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // answer
        sum += found;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    long expected = 0;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        offload_ms(20);
        ask_all(step);
    }
    for (int i = 0; i < STEPS * size; i++)
        expected += value(i % size, i / size);
    return end(sum == expected);
}
