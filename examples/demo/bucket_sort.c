// Sorts integers: each rank has an equal part of their range to sort. But most integers are small, so rank 0 sorts more than the others,
// and they wait for it.
// run: -n 2
// finding: late_rank ranks 0
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SORTS = 20, KEYS = 1 << 20, RANGE = 1 << 16 };

static int rank, size;

// This rank's keys: squares of even numbers, so that half of them lie in the first quarter of the range.
static void make(int *keys, int count)
{
    static uint64_t state;
    state += 314159265 + rank;
    for (int key = 0; key < count; key++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        double even = (state >> 40) / 16777216.0;
        keys[key] = RANGE * even * even;
    }
}

static int owner(int key)
{
    return (int64_t)key * size / RANGE;
}

// Puts the keys of one owner together, in the order of owners. Returns where each owner's begin.
static int *by_owner(const int *keys, int count, int *sent, int *ordered)
{
    int *begin = calloc(size, sizeof(int)), *next = calloc(size, sizeof(int));
    for (int at = 0; at < size; at++)
        sent[at] = 0;
    for (int key = 0; key < count; key++)
        sent[owner(keys[key])]++;
    for (int at = 1; at < size; at++)
        next[at] = begin[at] = begin[at - 1] + sent[at - 1];
    for (int key = 0; key < count; key++)
        ordered[next[owner(keys[key])]++] = keys[key];
    free(next);
    return begin;
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

// Sends each key to its owner, and sorts what comes. Returns how many came, less than 0 if they are not sorted.
static int sort(const int *keys, int count, int *ordered, int *mine)
{
    int sent[size], received[size], from[size];
    int *begin = by_owner(keys, count, sent, ordered);
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    from[0] = 0;
    for (int at = 1; at < size; at++)
        from[at] = from[at - 1] + received[at - 1];
    MPI_Alltoallv(ordered, sent, begin, MPI_INT, mine, received, from, MPI_INT, MPI_COMM_WORLD);
    free(begin);
    int came = from[size - 1] + received[size - 1];
    qsort(mine, came, sizeof(int), compare);
    for (int key = 1; key < came; key++)
        if (mine[key - 1] > mine[key])
            return -1;
    return came;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int count = KEYS / size, came = 0, all = 0;
    int *keys = malloc(count * sizeof(int)), *ordered = malloc(count * sizeof(int));
    int *mine = malloc((size_t)count * size * sizeof(int));
    for (int at = 0; at < SORTS; at++) {
        make(keys, count);
        came = sort(keys, count, ordered, mine);
        MPI_Allreduce(&came, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d integers on %d ranks are %s: rank 0 sorts %d %% of them\n", count * size, size,
               all == count * size ? "sorted" : "NOT sorted", (int)(100.0 * came / (count * size)));
    MPI_Finalize();
    return 0;
}
