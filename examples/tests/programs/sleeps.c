// Each rank sleeps between its calls of MPI, for a time and for what its second thread and others do, and says what it did: rank,
// comment of the line, how often, how many seconds. What did not sleep is said with 0.
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 20 };

static int rank;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t taken, free_again;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static struct timespec later(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += (long)(seconds * 1e9);
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

#define TIMED(what, count, ...)                                                                                        \
    {                                                                                                                  \
        double time = -now();                                                                                          \
        for (int at = 0; at < (count); at++) {                                                                         \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        printf("%d %s %d %.9f\n", rank, what, count, time + now());                                                    \
    }

static void *holds(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&taken);
    usleep(20000);
    pthread_mutex_unlock(&mutex);
    usleep(20000);
    sem_post(&free_again);
    usleep(20000);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct timespec moment = {0, 2000000}, shortly = {0, 200000};
    struct timeval interval;
    int ends[2], epoll = epoll_create1(0);
    if (pipe(ends))
        return 1;
    struct pollfd ready = {.fd = ends[0], .events = POLLIN};
    struct epoll_event event;
    MPI_Barrier(MPI_COMM_WORLD);

    TIMED("nanosleep", TIMES, nanosleep(&moment, NULL)) // nanosleep
    TIMED("clock_nanosleep", 100, clock_nanosleep(CLOCK_MONOTONIC, 0, &shortly, NULL)) // clock_nanosleep
    TIMED("usleep", TIMES, usleep(3000)) // usleep
    MPI_Barrier(MPI_COMM_WORLD);
    TIMED("poll", TIMES, poll(&ready, 1, 2)) // poll
    TIMED("select", TIMES, interval = (struct timeval){0, 2000}; select(0, NULL, NULL, NULL, &interval)) // select
    TIMED("epoll_wait", TIMES, epoll_wait(epoll, &event, 1, 2)) // epoll_wait
    MPI_Barrier(MPI_COMM_WORLD);

    pthread_t thread;
    sem_init(&taken, 0, 0);
    sem_init(&free_again, 0, 0);
    pthread_create(&thread, NULL, holds, NULL);
    sem_wait(&taken);
    TIMED("mutex", 1, pthread_mutex_lock(&mutex)) // mutex
    TIMED("semaphore", 1, sem_wait(&free_again)) // semaphore
    TIMED("join", 1, pthread_join(thread, NULL)) // join
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec until = later(0.03);
    TIMED("condition", 1, pthread_cond_timedwait(&condition, &mutex, &until)) // condition
    pthread_mutex_unlock(&mutex);
    pid_t child = fork();
    if (child == 0) {
        usleep(30000);
        _exit(0);
    }
    TIMED("child", 1, waitpid(child, NULL, 0)) // child
    TIMED("system", 1, (void)!system("sleep 0.03")) // system
    MPI_Barrier(MPI_COMM_WORLD);

    // What is at hand is no sleep.
    (void)!write(ends[1], "1", 1);
    for (int at = 0; at < 1000; at++) {
        pthread_mutex_lock(&mutex); // free mutex
        pthread_mutex_unlock(&mutex);
    }
    printf("%d free_mutex 0 0\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
