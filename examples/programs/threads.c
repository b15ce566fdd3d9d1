// Four threads of each rank exchange 1000 messages with their twins on the other rank, all at once, each pair under its
// own tag and with messages of its own size.
// run: -n 2
// also: MPI_Reduce
// expect: calls MPI_Send = 2 * 4 * 1000
// expect: calls MPI_Recv = 2 * 4 * 1000
// expect: calls MPI_Send rank 0 = 4 * 1000
// expect: calls MPI_Recv rank 1 = 4 * 1000
// expect: sent MPI_Send rank 0 = 1000 * 4 + 1000 * 8 + 1000 * 12 + 1000 * 16
// expect: sent MPI_Send rank 1 = 1000 * 4 + 1000 * 8 + 1000 * 12 + 1000 * 16
// expect: received MPI_Recv rank 0 = 1000 * 4 + 1000 * 8 + 1000 * 12 + 1000 * 16
// expect: received MPI_Recv rank 1 = 1000 * 4 + 1000 * 8 + 1000 * 12 + 1000 * 16
// expect: messages MPI_Send 0 -> 1 = 4 * 1000
// expect: messages MPI_Send 1 -> 0 = 4 * 1000
// expect: messages MPI_Recv 0 -> 1 = 4 * 1000
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 4, MESSAGES = 1000, BATCH = 50 };

static int rank;
static int wrong[THREADS];
static pthread_barrier_t start;

static void send_batch(int tag, int begin)
{
    int numbers[THREADS];
    for (int i = begin; i < begin + BATCH; i++) {
        for (int at = 0; at <= tag; at++)
            numbers[at] = i * THREADS + tag;
        MPI_Send(numbers, tag + 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
    }
}

static void receive_batch(int tag, int begin)
{
    int numbers[THREADS];
    for (int i = begin; i < begin + BATCH; i++) {
        MPI_Recv(numbers, tag + 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int at = 0; at <= tag; at++)
            wrong[tag] += numbers[at] != i * THREADS + tag;
    }
}

static void *exchange(void *argument)
{
    int tag = *(int *)argument;
    pthread_barrier_wait(&start);
    for (int begin = 0; begin < MESSAGES; begin += BATCH) {
        if (rank == 0)
            send_batch(tag, begin);
        receive_batch(tag, begin);
        if (rank == 1)
            send_batch(tag, begin);
        // On few cores a thread would be done before the next begins.
        sched_yield();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, mine = 0, all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_t threads[THREADS];
        int tags[THREADS];
        pthread_barrier_init(&start, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            tags[i] = i;
            pthread_create(&threads[i], NULL, exchange, &tags[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            mine += wrong[i];
        }
    }
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d numbers\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
