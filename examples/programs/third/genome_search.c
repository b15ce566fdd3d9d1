// Rank 0 hands out the sequences of a genome to three ranks that search them on accelerators. The list is sorted by length, and its longest sequence,
// which takes as long as a third of the others, is handed out last: two ranks and the master wait for its end. Cured: longest
// first.
#include "third.h"

enum { SEQUENCES = 80, ASK = 1, SEARCH, STOP = -1 };

static double length_ms(int sequence)
{
    return sequence == SEQUENCES - 1 ? 250 : 4 + sequence / 12.0;
}

static int hits(int sequence)
{
    return (int)(random_of((unsigned)sequence) % 1000);
}

static void hand_out(void)
{
    for (int given = 0; given < SEQUENCES + size - 1; given++) {
        MPI_Status status;
        int sequence = given >= SEQUENCES ? STOP : cured ? SEQUENCES - 1 - given : given;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status); // who is free
        MPI_Send(&sequence, 1, MPI_INT, status.MPI_SOURCE, SEARCH, MPI_COMM_WORLD); // next sequence
    }
}

static int search(void)
{
    int found = 0;
    for (;;) {
        int sequence;
        MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD); // free
        MPI_Recv(&sequence, 1, MPI_INT, 0, SEARCH, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // what to search
        if (sequence == STOP)
            return found;
        offload_ms(length_ms(sequence));
        found += hits(sequence);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int found = 0, all, expected = 0;
    begin_loop();
    if (rank == 0)
        hand_out();
    else
        found = search();
    MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // hits
    for (int i = 0; i < SEQUENCES; i++)
        expected += hits(i);
    return end(all == expected);
}
