// Nothing is wrong: in each step ranks have up to three messages for each other, which the receiver does not know of. They send synchronously and receive
// what comes, and enter a barrier once their own have arrived, after which nothing more can come. Their work is the same, and far more than that.
#include "../third/third.h"

enum { STEPS = 300, MOST = 3, ITEMS = 100 };

static long sent, received;

static void receive_if_there(void)
{
    int there, items[ITEMS];
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status); // anything
    if (!there)
        return;
    MPI_Recv(items, ITEMS, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // items
    for (int i = 0; i < ITEMS; i++)
        received += items[i];
}

static void exchange(int step)
{
    static int items[MOST][ITEMS];
    MPI_Request sends[MOST], barrier = MPI_REQUEST_NULL;
    int all_arrived = 0, nothing_more = 0, messages = (int)(random_of((unsigned)(step * size + rank)) % (MOST + 1));
    for (int m = 0; m < messages; m++) {
        int target = (rank + 1 + m % (size - 1)) % size;
        for (int i = 0; i < ITEMS; i++)
            sent += items[m][i] = step + i;
        MPI_Issend(items[m], ITEMS, MPI_INT, target, 0, MPI_COMM_WORLD, &sends[m]); // to a target
    }
    while (!nothing_more) {
        receive_if_there();
        if (all_arrived) {
            MPI_Test(&barrier, &nothing_more, MPI_STATUS_IGNORE); // have all
        } else {
            MPI_Testall(messages, sends, &all_arrived, MPI_STATUSES_IGNORE); // has mine arrived
            if (all_arrived)
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier); // mine has
        }
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        work_ms(2);
        exchange(step);
    }
    long all_sent, all_received;
    MPI_Allreduce(&sent, &all_sent, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&received, &all_received, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return end(all_sent == all_received);
}
