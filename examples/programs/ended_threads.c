// Threads call MPI and end in other ways than by returning: by pthread_exit, cancelled outside MPI, and with the process.
// run: -n 1
// expect: calls MPI_Sendrecv = 3 * 10
// expect: sent MPI_Sendrecv = 3 * 10 * 4
// expect: received MPI_Sendrecv = 3 * 10 * 4
// expect: messages MPI_Sendrecv 0 -> 0 = 3 * 10
// expect: calls MPI_Bcast = 10
// expect: nested MPI_Bcast = 0
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

enum { EXITS, CANCELLED, RUNS_ON, THREADS };

static sem_t communicated;
static int wrong[THREADS];

static void *live(void *argument)
{
    int which = *(int *)argument;
    for (int i = 0; i < 10; i++) {
        int in = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, 0, which, &in, 1, MPI_INT, 0, which, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong[which] += in != i;
    }
    sem_post(&communicated);
    if (which == EXITS)
        pthread_exit(argument);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    int provided, which[THREADS] = {EXITS, CANCELLED, RUNS_ON}, number = 1;
    void *result[THREADS];
    pthread_t threads[THREADS];
    sem_init(&communicated, 0, 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, live, &which[i]);
    for (int i = 0; i < THREADS; i++)
        sem_wait(&communicated);
    pthread_cancel(threads[CANCELLED]);
    pthread_join(threads[EXITS], &result[EXITS]);
    pthread_join(threads[CANCELLED], &result[CANCELLED]);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
    if (wrong[EXITS] + wrong[CANCELLED] + wrong[RUNS_ON])
        puts("wrong: a number");
    else if (provided != MPI_THREAD_MULTIPLE || result[EXITS] != &which[EXITS] || result[CANCELLED] != PTHREAD_CANCELED)
        puts("wrong: a thread");
    else
        puts("ok");
    MPI_Finalize();
    return 0;
}
