// Four threads of rank 0 send 300 messages each by one communicator and one tag, four threads of rank 1 receive them, all at once.
// run: -n 2
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 4, MESSAGES = 300 };

static int rank;
static pthread_barrier_t start;

static void *exchange(void *argument)
{
    int number;
    pthread_barrier_wait(&start);
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            sched_yield();
    }
    return argument;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchange, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (rank == 0)
        puts(provided == MPI_THREAD_MULTIPLE ? "ok" : "no threads");
    MPI_Finalize();
    return 0;
}
