// A program with an allocator of its own, which waits for a lock that its threads hold for long: a mutex, or a semaphore as the argument says.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

enum { THREADS = 4, TIMES = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int by_semaphore, is_ready;
static long allocated;

static void lock(void)
{
    if (!is_ready)
        return;
    if (by_semaphore)
        sem_wait(&semaphore);
    else
        pthread_mutex_lock(&mutex);
    struct timespec start, now;
    if (++allocated % 16)
        return;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 50000);
}

static void unlock(void)
{
    if (!is_ready)
        return;
    if (by_semaphore)
        sem_post(&semaphore);
    else
        pthread_mutex_unlock(&mutex);
}

#define LOCKED(type, call)                                                                                             \
    {                                                                                                                  \
        lock();                                                                                                        \
        type memory = call;                                                                                            \
        unlock();                                                                                                      \
        return memory;                                                                                                 \
    }

void *malloc(size_t bytes) LOCKED(void *, __libc_malloc(bytes))
void *calloc(size_t count, size_t bytes) LOCKED(void *, __libc_calloc(count, bytes))
void *realloc(void *old, size_t bytes) LOCKED(void *, __libc_realloc(old, bytes))
void free(void *memory)
{
    lock();
    __libc_free(memory);
    unlock();
}

static void *allocates(void *sum)
{
    for (int at = 0; at < TIMES; at++) {
        char *memory = malloc(64 + at);
        memory[0] = (char)at;
        // Else the compiler leaves the allocation out.
        __asm__ volatile("" : : "r"(memory) : "memory");
        *(long *)sum += memory[0];
        free(memory);
        if (at % 30 == 0)
            MPI_Barrier(MPI_COMM_SELF);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    long sums[THREADS] = {0}, all = 0;
    pthread_t threads[THREADS];
    by_semaphore = argc > 1 && strcmp(argv[1], "semaphore") == 0;
    sem_init(&semaphore, 0, 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    is_ready = 1;
    for (int at = 0; at < THREADS; at++)
        pthread_create(&threads[at], NULL, allocates, &sums[at]);
    for (int at = 0; at < THREADS; at++) {
        pthread_join(threads[at], NULL);
        all += sums[at];
    }
    printf("the sum is %ld\n", all);
    fflush(stdout);
    is_ready = 0;
    MPI_Finalize();
    return 0;
}
