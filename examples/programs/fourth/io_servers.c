// A model of four ranks, some of which write what the others send them while these go on. One server takes 22 ms for the output that three ranks compute in
// eight, and these wait for a free buffer in each step. Cured: two servers for two ranks, whose step takes 12 ms.
#include "../third/third.h"

enum { TILES = 12, TILE = 4000, STEPS = 40, BUFFERS = 2, OUTPUT = 1 };

static int servers, models, tiles;
static long written;

static void serve(void)
{
    double *output = malloc(sizeof(double) * TILES * TILE);
    int clients = models / servers;
    for (int message = 0; message < STEPS * clients; message++) {
        MPI_Recv(output, tiles * TILE, MPI_DOUBLE, MPI_ANY_SOURCE, OUTPUT, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // output of a rank
        offload_ms(1.8 * tiles);
        for (int t = 0; t < tiles; t++)
            written += (long)output[t * TILE];
    }
    free(output);
}

static void send_output(double *buffer, int step, MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE); // a free buffer
    for (int t = 0; t < tiles; t++)
        buffer[t * TILE] = step;
    MPI_Isend(buffer, tiles * TILE, MPI_DOUBLE, models + rank % servers, OUTPUT, MPI_COMM_WORLD, request); // to the server
}

static void model(MPI_Comm others)
{
    double *buffers[BUFFERS];
    MPI_Request requests[BUFFERS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int b = 0; b < BUFFERS; b++)
        buffers[b] = calloc((size_t)tiles * TILE, sizeof(double));
    for (int step = 0; step < STEPS; step++) {
        double wind = rank, fastest;
        offload_ms(2.0 * tiles);
        MPI_Allreduce(&wind, &fastest, 1, MPI_DOUBLE, MPI_MAX, others); // time step
        send_output(buffers[step % BUFFERS], step, &requests[step % BUFFERS]);
    }
    MPI_Waitall(BUFFERS, requests, MPI_STATUSES_IGNORE); // last output
    for (int b = 0; b < BUFFERS; b++)
        free(buffers[b]);
}

int main(int argc, char **argv)
{
    MPI_Comm own;
    begin(argc, argv);
    servers = cured ? 2 : 1;
    models = size - servers;
    tiles = TILES / models;
    MPI_Comm_split(MPI_COMM_WORLD, rank < models, rank, &own);
    begin_loop();
    if (rank < models)
        model(own);
    else
        serve();
    long all;
    MPI_Allreduce(&written, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); // all is written
    MPI_Comm_free(&own);
    return end(all == (long)TILES * STEPS * (STEPS - 1) / 2);
}
