// The loops of osu_bw and osu_bibw, rewritten: windows of nonblocking sends, from one rank or from both, each answered by one
// message of four bytes or none.
// run: -n 2
#include "loops.h"

enum { SMALL = 8192, WINDOW = 64, ITERATIONS = 100, SKIPPED = 10, ITERATIONS_LARGE = 20, SKIPPED_LARGE = 2 };

static char *out, *in;

static void post(MPI_Request *requests, int sends, int bytes)
{
    for (int i = 0; i < WINDOW; i++)
        if (sends)
            MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, 100, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, 100, MPI_COMM_WORLD, &requests[i]);
}

static void one_way(int bytes)
{
    MPI_Request requests[WINDOW];
    post(requests, rank == 0, bytes);
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(in, 4, MPI_CHAR, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out, 4, MPI_CHAR, 0, 101, MPI_COMM_WORLD);
}

static void both_ways(int bytes)
{
    MPI_Request receives[WINDOW], sends[WINDOW];
    post(receives, 0, bytes);
    post(sends, 1, bytes);
    MPI_Waitall(WINDOW, sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(WINDOW, receives, MPI_STATUSES_IGNORE);
}

static void measure(const char *loop, void (*window)(int), int ways, int bytes)
{
    int iterations = times(bytes > SMALL ? ITERATIONS_LARGE : ITERATIONS);
    int skipped = times(bytes > SMALL ? SKIPPED_LARGE : SKIPPED);
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations + skipped; i++) {
        if (i == skipped)
            start = MPI_Wtime();
        window(bytes);
    }
    double seconds = MPI_Wtime() - start, moved = (double)ways * bytes * WINDOW * iterations;
    row(loop, bytes, "megabytes_a_second=%.4f", moved / seconds / 1e6);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    out = buffer(most_bytes > 4 ? most_bytes : 4);
    in = buffer(most_bytes > 4 ? most_bytes : 4);
    for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
        if (is_wanted(argc, argv, "osu_bw"))
            measure("osu_bw", one_way, 1, bytes);
        if (is_wanted(argc, argv, "osu_bibw"))
            measure("osu_bibw", both_ways, 2, bytes);
    }
    MPI_Finalize();
    return 0;
}
