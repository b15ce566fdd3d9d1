// The loop of Sandia's mpi_overhead, rewritten: N iterations of barrier, post, work and wait are timed together, for work that
// doubles until they take half as long again as without any. The base is the mean of the levels below 1.02 times itself, the
// overhead what the last level takes beyond its work. That is timed behind it without the message, in as many iterations of barrier and
// work.
// A receive is posted before the barrier, so that the sender finds it: there the barrier lies between post and work.
// run: -n 2
#include "loops.h"

enum { SMALL = 8192, ITERATIONS = 1000, ITERATIONS_LARGE = 100 };

static const double BASE = 1.02, STOP = 1.5;

static char *data;
static volatile double sink;

static void work(long units)
{
    double state = sink;
    for (long unit = 0; unit < units; unit++)
        state = state * 0.999 + 1;
    sink = state;
}

static void iterate(int sends, int bytes, long units)
{
    MPI_Request request;
    if (rank == 0 && sends) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Isend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        work(units);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Irecv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        work(units);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (sends) {
        MPI_Irecv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

// One level: what an iteration takes, in microseconds.
static double level(int sends, int bytes, long units, int iterations)
{
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++)
        iterate(sends, bytes, units);
    return (MPI_Wtime() - start) / iterations * 1e6;
}

// The work of a level without its messages: the other rank is in the barrier, too, and has no work.
static double alone(long units, int iterations)
{
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            work(units);
    }
    return (MPI_Wtime() - start) / iterations * 1e6;
}

static void measure(int sends, int bytes)
{
    int iterations = times(bytes > SMALL ? ITERATIONS_LARGE : ITERATIONS), levels = 0, goes_on = 1;
    double sum = 0, base = 0, iter = 0, worked = 0;
    level(sends, bytes, 0, iterations / 10 + 1);
    for (long units = 1; goes_on; units *= 2) {
        MPI_Barrier(MPI_COMM_WORLD);
        iter = level(sends, bytes, units, iterations);
        if (levels == 0 || iter < BASE * base) {
            sum += iter;
            base = sum / ++levels;
        }
        goes_on = iter < STOP * base;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (!goes_on)
            worked = alone(units, iterations);
    }
    double overhead = iter - worked;
    row(sends ? "smb_send" : "smb_receive", bytes, "iter_us=%.4f work_us=%.4f overhead_us=%.4f base_us=%.4f availability=%.3f",
        iter, worked, overhead, base, 100 * (1 - overhead / base));
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    data = buffer(most_bytes);
    for (int sends = 1; sends >= 0; sends--)
        for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2)
            measure(sends, bytes);
    MPI_Finalize();
    return 0;
}
