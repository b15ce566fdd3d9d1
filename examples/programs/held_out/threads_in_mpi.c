// Two threads of each rank exchange small messages on communicators of their own, all inside MPI at the same time. Cured: one thread
// exchanges for all of them.
// cannot: ompi4 (two threads of a rank that share a core: 4 of 6 runs without the recorder do not end within 12 s, the others take 4 ms)
#include "held_out.h"
#include <pthread.h>

enum { THREADS = 2, MESSAGES = 5000 };

static MPI_Comm own[THREADS];
static int correct = 1;

static void exchange(MPI_Comm comm, int messages)
{
    for (int message = 0; message < messages; message++) {
        int mine = message, others = -1;
        MPI_Sendrecv(&mine, 1, MPI_INT, rank ^ 1, 0, &others, 1, MPI_INT, rank ^ 1, 0, comm, MPI_STATUS_IGNORE); // edge
        if (others != message)
            correct = 0;
    }
}

static void *run(void *of)
{
    exchange(own[(long)of], MESSAGES);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    cured = argc > 1 && strcmp(argv[1], "cured") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    begin_loop();
    if (cured)
        for (int i = 0; i < THREADS; i++)
            exchange(own[i], MESSAGES);
    else {
        pthread_t threads[THREADS];
        for (long i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, run, (void *)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    return end(correct && level == MPI_THREAD_MULTIPLE);
}
