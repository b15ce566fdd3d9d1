// A hub asks all others, in four shapes, and says how long the rounds of each took as it saw them: "truth: shape n rounds = seconds".
// They are MPI_Startall and MPI_Waitany (persistent); MPI_Ssend, then MPI_Probe and MPI_Recv from whoever answers (probing); MPI_Scatter
// and MPI_Gather (collective); to one after another, each by MPI_Sendrecv, so that every one is a round of two (turns). The hub is
// the last rank.
// In round 7 of the persistent shape the first rank answers 30 ms late.
// run: -n 4
#include <mpi.h>
#include <unistd.h>
#include "measured.h"

enum { ROUNDS = 20, LATE_ROUND = 7, BYTES = 512, PEERS = 15 };

static int rank, peers, hub;
static double times[ROUNDS * PEERS];
static char asked[BYTES], answers[PEERS][BYTES];

static void say(const char *shape, int n, int count)
{
    char of[40];
    snprintf(of, sizeof of, "%d %d", n, count);
    if (rank == hub)
        tell(shape, of, median(times, count));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void answer(int tag)
{
    MPI_Recv(asked, BYTES, MPI_BYTE, hub, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(asked, BYTES, MPI_BYTE, hub, tag, MPI_COMM_WORLD);
}

static void persistent(void)
{
    MPI_Request all[2 * PEERS];
    for (int peer = 0; peer < peers && rank == hub; peer++) {
        MPI_Recv_init(answers[peer], BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &all[peer]);
        MPI_Send_init(asked, BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &all[peers + peer]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (rank != hub) {
            MPI_Recv(asked, BYTES, MPI_BYTE, hub, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 0 && round == LATE_ROUND - 1)
                usleep(30000);
            MPI_Send(asked, BYTES, MPI_BYTE, hub, 1, MPI_COMM_WORLD);
            continue;
        }
        MPI_Startall(peers, all);
        double begin = MPI_Wtime();
        MPI_Startall(peers, all + peers); // persistent
        for (int left = peers, which; left > 0; left--)
            MPI_Waitany(peers, all, &which, MPI_STATUS_IGNORE);
        times[round] = MPI_Wtime() - begin;
        MPI_Waitall(peers, all + peers, MPI_STATUSES_IGNORE);
    }
    for (int request = 0; request < 2 * peers && rank == hub; request++)
        MPI_Request_free(&all[request]);
    say("persistent", peers + 1, ROUNDS);
}

static void probing(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (rank != hub) {
            answer(2);
            continue;
        }
        double begin = MPI_Wtime();
        for (int peer = 0; peer < peers; peer++)
            MPI_Ssend(asked, BYTES, MPI_BYTE, peer, 2, MPI_COMM_WORLD); // probing
        for (int left = peers; left > 0; left--) {
            MPI_Status status;
            MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            MPI_Recv(answers[0], BYTES, MPI_BYTE, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        times[round] = MPI_Wtime() - begin;
    }
    say("probing", peers + 1, ROUNDS);
}

static void collective(void)
{
    static char all[PEERS + 1][BYTES];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = MPI_Wtime();
        MPI_Scatter(all, BYTES, MPI_BYTE, asked, BYTES, MPI_BYTE, hub, MPI_COMM_WORLD); // collective
        MPI_Gather(asked, BYTES, MPI_BYTE, all, BYTES, MPI_BYTE, hub, MPI_COMM_WORLD);
        times[round] = MPI_Wtime() - begin;
    }
    say("collective", peers + 1, ROUNDS);
}

static void turns(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int peer = 0; peer < peers; peer++) {
            if (rank == peer)
                answer(3);
            if (rank != hub)
                continue;
            double begin = MPI_Wtime();
            MPI_Sendrecv(asked, BYTES, MPI_BYTE, peer, 3, answers[0], BYTES, MPI_BYTE, peer, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE); // turns
            times[round * peers + peer] = MPI_Wtime() - begin;
        }
    say("turns", 2, ROUNDS * peers);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peers = size - 1;
    hub = size - 1;
    if (peers < 1 || peers > PEERS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    persistent();
    probing();
    collective();
    turns();
    MPI_Finalize();
    return 0;
}
