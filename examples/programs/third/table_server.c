// Rank 0 keeps the tables of an equation of state, and answers who asks for a value. To spare the core it sleeps for a millisecond whenever nobody has asked, and
// rank 1, whose step takes a millisecond, waits for the end of the nap at each question. Cured: MPI_Probe.
#include "third.h"

enum { VALUES = 4096, QUESTIONS = 300, ASK = 1, VALUE, STOP = -1 };

static double table[VALUES];

static void await_question(void)
{
    int asked = 0;
    if (cured)
        MPI_Probe(1, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // next question
    while (!cured) {
        MPI_Iprobe(1, ASK, MPI_COMM_WORLD, &asked, MPI_STATUS_IGNORE); // has anybody asked
        if (asked)
            break;
        rest(0.001);
    }
}

static void serve(void)
{
    for (;;) {
        int index;
        await_question();
        MPI_Recv(&index, 1, MPI_INT, 1, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // question
        if (index == STOP)
            return;
        MPI_Send(&table[index], 1, MPI_DOUBLE, 1, VALUE, MPI_COMM_WORLD); // answer
    }
}

static double pressure(int index)
{
    double value;
    MPI_Send(&index, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD); // ask
    MPI_Recv(&value, 1, MPI_DOUBLE, 0, VALUE, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // value
    return value;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int i = 0; i < VALUES; i++)
        table[i] = 0.5 * i;
    int correct = 1, stop = STOP;
    begin_loop();
    if (rank == 0) {
        serve();
    } else {
        for (int i = 0; i < QUESTIONS; i++) {
            int index = (int)(random_of((unsigned)i) % VALUES);
            correct &= pressure(index) == 0.5 * index;
            work_ms(1);
        }
        MPI_Send(&stop, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD); // no more
    }
    return end(correct);
}
