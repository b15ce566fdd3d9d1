// 64 threads of one rank are alive at once, and make a million calls together: each sends messages to itself.
// run: -n 1
// expect: calls MPI_Irecv = 64 * 3125
// expect: calls MPI_Isend = 64 * 3125
// expect: calls MPI_Waitall = 64 * 3125
// expect: calls MPI_Iprobe = 64 * 6250
// expect: sent MPI_Isend = 64 * 3125 * 4
// expect: received MPI_Irecv = 64 * 3125 * 4
// expect: messages MPI_Isend 0 -> 0 = 64 * 3125
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 64, ROUNDS = 3125 };

static int wrong[THREADS];
static pthread_barrier_t start;

static void *exchange(void *argument)
{
    int tag = *(int *)argument, flag;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        int out = i * THREADS + tag, in = -1;
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        wrong[tag] += in != out;
        for (int again = 0; again < 2; again++) {
            MPI_Iprobe(0, THREADS, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            wrong[tag] += flag;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, all = 0;
    pthread_t threads[THREADS];
    int tags[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, exchange, &tags[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += wrong[i];
    }
    if (provided != MPI_THREAD_MULTIPLE)
        printf("wrong: level %d\n", provided);
    else if (all)
        printf("wrong: %d numbers\n", all);
    else
        puts("ok");
    MPI_Finalize();
    return 0;
}
