// What calls that may sleep cost where they do not: a mutex that is free, a poll of nothing, and a semaphore that is there; and the shortest
// sleep.
// run: -n 1
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "measure.h"

enum { CALLS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static long done;

__attribute__((noinline)) static void lock_and_unlock(void)
{
    pthread_mutex_lock(&mutex);
    done++;
    pthread_mutex_unlock(&mutex);
    __asm__ volatile("");
}

__attribute__((noinline)) static void post_and_wait(void)
{
    sem_post(&semaphore);
    sem_wait(&semaphore);
    __asm__ volatile("");
}

__attribute__((noinline)) static void poll_nothing(void)
{
    poll(NULL, 0, 0);
    __asm__ volatile("");
}

__attribute__((noinline)) static void sleep_shortly(void)
{
    nanosleep(&(struct timespec){0, 1}, NULL);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sem_init(&semaphore, 0, 0);
    MEASURE_TIMES("lock and unlock a mutex", 1, CALLS, lock_and_unlock());
    MEASURE_TIMES("post and wait, a semaphore", 1, CALLS, post_and_wait());
    MEASURE_TIMES("poll nothing", 1, CALLS, poll_nothing());
    MEASURE_TIMES("sleep for 1 ns", 1, 200, sleep_shortly());
    MPI_Finalize();
    return done < 0;
}
