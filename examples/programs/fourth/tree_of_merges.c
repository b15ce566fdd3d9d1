// The best matches of all ranks, merged along a binomial tree that is written by hand. Each rank merges its farthest partner's list first, which is there
// last, for that partner merges the most lists itself. Cured: the nearest partner first.
#include "../third/third.h"

enum { BEST = 64, QUERIES = 15 };

static double best[BEST];

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void search(int query)
{
    for (int i = 0; i < BEST; i++)
        best[i] = random_of((unsigned)((query * size + rank) * BEST + i)) % 1000000;
    qsort(best, BEST, sizeof(double), descending);
    offload_ms(12);
}

static void merge(const double *theirs)
{
    double both[BEST];
    for (int i = 0, mine = 0, other = 0; i < BEST; i++)
        both[i] = best[mine] >= theirs[other] ? best[mine++] : theirs[other++];
    memcpy(best, both, sizeof best);
    offload_ms(10); // scores are computed again, to higher precision
}

static void merge_from(int distance)
{
    double theirs[BEST];
    MPI_Recv(theirs, BEST, MPI_DOUBLE, rank + distance, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // list of a partner
    merge(theirs);
}

static void merge_all(void)
{
    int behind = 1;
    while (behind < size && !(rank & behind))
        behind *= 2;
    if (cured)
        for (int distance = 1; distance < behind; distance *= 2)
            merge_from(distance);
    else
        for (int distance = behind / 2; distance >= 1; distance /= 2)
            merge_from(distance);
    if (rank > 0)
        MPI_Send(best, BEST, MPI_DOUBLE, rank - behind, 0, MPI_COMM_WORLD); // merged list
    MPI_Bcast(best, BEST, MPI_DOUBLE, 0, MPI_COMM_WORLD); // best of all
}

static int is_right(int query)
{
    double all[4 * BEST];
    for (int i = 0; i < size * BEST; i++)
        all[i] = random_of((unsigned)(query * size * BEST + i)) % 1000000;
    qsort(all, (size_t)(size * BEST), sizeof(double), descending);
    return memcmp(all, best, sizeof best) == 0;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    for (int query = 0; query < QUERIES; query++) {
        search(query);
        merge_all();
    }
    return end(is_right(QUERIES - 1));
}
