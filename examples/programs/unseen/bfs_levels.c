// Breadth-first search in a graph whose vertices are numbered in the order of their levels. Ranks own blocks of vertices, so that one rank
// owns most of a level and another one most of the next. Cured: vertices are dealt out one by one.
#include "unseen.h"

enum { LEVELS = 1000, WIDE = 3000, BLOCK = 4500, VERTICES = LEVELS * WIDE };

static unsigned char seen[VERTICES];
static int frontier[VERTICES], outgoing[8][4 * WIDE], incoming[8 * 4 * WIDE];

static int owner(int vertex)
{
    return cured ? vertex % size : vertex / BLOCK % size;
}

static int neighbor(int vertex, int which)
{
    int level = vertex / WIDE, place = vertex % WIDE;
    static const int step[3] = {0, 1, 17};
    return (level + 1) * WIDE + (place + step[which]) % WIDE;
}

// Visits the frontier, and sorts its neighbors by their owners.
static void expand(int count, int *counts)
{
    memset(counts, 0, size * sizeof *counts);
    for (int i = 0; i < count; i++) {
        spend(300); // the vertex's own data
        if (frontier[i] / WIDE == LEVELS - 1)
            continue;
        for (int which = 0; which < 3; which++) {
            int to = neighbor(frontier[i], which), who = owner(to);
            outgoing[who][counts[who]++] = to;
        }
    }
}

static int exchange(int *counts)
{
    int theirs[8], from[8], to[8], next = 0;
    MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD); // how many
    for (int i = 0, at = 0; i < size; at += theirs[i++]) {
        from[i] = i * 4 * WIDE;
        to[i] = at;
    }
    MPI_Alltoallv(outgoing, counts, from, MPI_INT, incoming, theirs, to, MPI_INT, MPI_COMM_WORLD); // vertices
    for (int i = 0; i < to[size - 1] + theirs[size - 1]; i++)
        if (!seen[incoming[i]]) {
            seen[incoming[i]] = 1;
            frontier[next++] = incoming[i];
        }
    return next;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int count = 0, visited = 0, all = 1, counts[8];
    for (int vertex = 0; vertex < WIDE; vertex++)
        if (owner(vertex) == rank)
            frontier[count++] = vertex;
    begin_loop();
    while (all > 0) {
        visited += count;
        expand(count, counts);
        count = exchange(counts);
        MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // anything left
    }
    MPI_Allreduce(MPI_IN_PLACE, &visited, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return end(visited == VERTICES);
}
