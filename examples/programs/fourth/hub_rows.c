// Ranks of pages, with the matrix of links cut into as many rows for each rank. A few pages at the beginning are linked to from everywhere, so that most
// of the links are rank 0's. Cured: cut by what rows cost.
#include "../third/third.h"

enum { PAGES = 60000, LINKS = 1800000, ITERATIONS = 500, ROW = 12 };

static int row_begins[PAGES + 1], *from, cut[16];
static double score[PAGES], share[PAGES];
static int links_from[PAGES];

// The lower a page's number, the more link to it.
static int linked_page(unsigned link)
{
    double x = (random_of(2 * link) % 100000) / 100000.0;
    return (int)(x * x * x * PAGES);
}

static void build(void)
{
    static int at[PAGES];
    from = malloc(sizeof(int) * LINKS);
    for (unsigned l = 0; l < LINKS; l++)
        row_begins[linked_page(l) + 1]++;
    for (int p = 0; p < PAGES; p++) {
        row_begins[p + 1] += row_begins[p];
        at[p] = row_begins[p];
    }
    for (unsigned l = 0; l < LINKS; l++) {
        int source = (int)(l % PAGES);
        links_from[source]++;
        from[at[linked_page(l)]++] = source;
    }
}

// What rows before this one cost: their links, and as much as some links for each row.
static long cost(int row)
{
    return row_begins[row] + (long)row * ROW;
}

static void cut_rows(void)
{
    for (int r = 1, row = 0; r < size; r++) {
        while (cured ? cost(row) < cost(PAGES) * r / size : row < PAGES * r / size)
            row++;
        cut[r] = row;
    }
    cut[size] = PAGES;
}

static void multiply(void)
{
    for (int p = cut[rank]; p < cut[rank + 1]; p++) {
        double sum = 0;
        for (int l = row_begins[p]; l < row_begins[p + 1]; l++)
            sum += share[from[l]];
        score[p] = 0.15 / PAGES + 0.85 * sum;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    build();
    cut_rows();
    int rows[16];
    for (int r = 0; r < size; r++)
        rows[r] = cut[r + 1] - cut[r];
    for (int p = 0; p < PAGES; p++)
        score[p] = 1.0 / PAGES;
    begin_loop();
    for (int i = 0; i < ITERATIONS; i++) {
        for (int p = 0; p < PAGES; p++)
            share[p] = score[p] / links_from[p];
        multiply();
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, score, rows, cut, MPI_DOUBLE, MPI_COMM_WORLD); // scores
    }
    double sum = 0;
    for (int p = 0; p < PAGES; p++)
        sum += score[p];
    return end(sum > 0.999999 && sum < 1.000001);
}
