// 2000 threads live one after another, four at a time. Each sends to itself and begins the receive, which the main thread
// completes, and exchanges another message when its keys are destroyed.
// run: -n 1
// expect: calls MPI_Irecv = 2000
// expect: calls MPI_Send = 2000
// expect: calls MPI_Waitall = 500
// expect: calls MPI_Sendrecv = 2000
// expect: sent MPI_Send = 2000 * 4
// expect: received MPI_Irecv = 2000 * 4
// expect: sent MPI_Sendrecv = 2000 * 4
// expect: received MPI_Sendrecv = 2000 * 4
// expect: messages MPI_Sendrecv 0 -> 0 = 2000
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 500, THREADS = 4 };

static MPI_Request requests[THREADS];
static int places[THREADS], in[THREADS], wrong[THREADS];
static pthread_key_t key;

// Destroyed in any order with keys that others have made, and again as long as it sets itself.
static void at_end(void *argument)
{
    static __thread int again;
    int place = *(int *)argument, out = place, back = -1;
    if (again++ == 0) {
        pthread_setspecific(key, argument);
        return;
    }
    MPI_Sendrecv(&out, 1, MPI_INT, 0, THREADS + place, &back, 1, MPI_INT, 0, THREADS + place, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    wrong[place] += back != out;
}

static void *live(void *argument)
{
    int place = *(int *)argument;
    pthread_setspecific(key, argument);
    MPI_Irecv(&in[place], 1, MPI_INT, 0, place, MPI_COMM_WORLD, &requests[place]);
    MPI_Send(&place, 1, MPI_INT, 0, place, MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_key_create(&key, at_end);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            places[i] = i;
            in[i] = -1;
            pthread_create(&threads[i], NULL, live, &places[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        MPI_Waitall(THREADS, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < THREADS; i++)
            all += in[i] != i;
    }
    for (int i = 0; i < THREADS; i++)
        all += wrong[i];
    if (provided != MPI_THREAD_MULTIPLE)
        printf("wrong: level %d\n", provided);
    else if (all)
        printf("wrong: %d numbers\n", all);
    else
        puts("ok");
    MPI_Finalize();
    return 0;
}
