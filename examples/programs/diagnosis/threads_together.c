// Two threads of each rank exchange small messages at the same time, and wait for each other inside MPI. In the twin one thread exchanges for both.
// run: -n 2
// cannot: ompi4 (two threads of a rank that share a core: most runs do not end within 12 s, without the recorder either)
// finding: threads_together ranks - at MPI_Sendrecv // border
#include "planted_work.h"
#include <pthread.h>

enum { THREADS = 2, MESSAGES = 5000 };

static MPI_Comm own[THREADS];

static void *exchange(void *of)
{
    int mine = 1, others, next = (rank + 1) % size, last = (rank + size - 1) % size;
    // Eight ranks on two cores take a turn of the scheduler for each message.
    for (int message = 0; message < (size > 2 ? MESSAGES / 25 : MESSAGES); message++)
        MPI_Sendrecv(&mine, 1, MPI_INT, next, 0, &others, 1, MPI_INT, last, 0, own[(long)of], MPI_STATUS_IGNORE); // border
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    twin = argc > 1 && strcmp(argv[argc - 1], "twin") == 0;
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long i = 0; i < THREADS; i++) {
        if (twin)
            exchange((void *)i);
        else
            pthread_create(&threads[i], NULL, exchange, (void *)i);
    }
    for (int i = 0; !twin && i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    return end();
}
