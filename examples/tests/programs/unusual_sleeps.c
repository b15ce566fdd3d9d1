// Sleeps where programs seldom have them. The argument chooses; each line says how many sleeps are to be recorded at the line with a
// comment in this file.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf behind;
static volatile sig_atomic_t woken;
static const struct timespec MOMENT = {0, 3000000};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void say(const char *where, int sleeps)
{
    printf("%s %d\n", where, sleeps);
}

static void alarm_in(int microseconds, int again)
{
    setitimer(ITIMER_REAL, &(struct itimerval){{0, again}, {0, microseconds}}, NULL);
}

static void forks(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&MOMENT, NULL); // in_child
        _exit(pthread_mutex_lock(&mutex) == 0 ? 7 : 1);
    }
    waitpid(child, &status, 0); // by_parent
    printf("the child ended: %d\n", WEXITSTATUS(status));
    say("in_child", 0);
    say("by_parent", 1);
}

static void vforks(void)
{
    int status;
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "sleep 0.02; exit 3", NULL);
        _exit(9);
    }
    waitpid(child, &status, 0); // behind_vfork
    printf("the child ended: %d\n", WEXITSTATUS(status));
    say("behind_vfork", 1);
}

static void on_alarm(int number)
{
    (void)number;
    int before = errno;
    // A handler that has interrupted a sleep sleeps, too.
    nanosleep(&(struct timespec){0, 100000}, NULL);
    woken++;
    errno = before;
}

// Sleeps that signals end early.
static void signals(void)
{
    int interrupted = 0;
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    alarm_in(2000, 2000);
    while (woken < 100) {
        errno = 0;
        interrupted += nanosleep(&(struct timespec){1, 0}, NULL) == -1 && errno == EINTR;
    }
    alarm_in(0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("was interrupted: %d\n", interrupted > 0);
}

static void on_alarm_leave(int number)
{
    (void)number;
    siglongjmp(behind, 1);
}

// Sleeps that a signal handler leaves.
static void left(void)
{
    volatile int times = 0;
    signal(SIGALRM, on_alarm_leave);
    for (volatile int at = 0; at < 5; at++) {
        if (sigsetjmp(behind, 1) == 0) {
            alarm_in(2000, 0);
            nanosleep(&(struct timespec){1, 0}, NULL); // left
            exit(1);
        }
        times++;
    }
    nanosleep(&MOMENT, NULL); // behind_left
    MPI_Barrier(MPI_COMM_WORLD);
    printf("left %d times\n", times);
    say("left", 0);
    say("behind_left", 1);
}

static int cleaned;

static void clean_up(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
    cleaned++;
}

static void *waits(void *way)
{
    MPI_Barrier(MPI_COMM_SELF);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean_up, NULL);
    switch ((size_t)way) {
    case 0:
        nanosleep(&(struct timespec){100, 0}, NULL); // cancelled
        break;
    case 1:
        pthread_cond_wait(&condition, &mutex); // cancelled
        break;
    case 2:
        sem_wait(&semaphore); // cancelled
        break;
    default:
        poll(NULL, 0, 100000); // cancelled
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancels(void)
{
    int ended = 0;
    for (size_t at = 0; at < 40; at++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, waits, (void *)(at % 4));
        usleep(1000 * (at % 5));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        ended += result == PTHREAD_CANCELED;
    }
    // A thread that is cancelled before it has the mutex cleans nothing up.
    printf("ended %d, free %d\n", ended, pthread_mutex_trylock(&mutex));
    say("cancelled", 0);
}

static void errors(void)
{
    pthread_mutex_t checking, recursive;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    int first = pthread_mutex_lock(&checking), again = pthread_mutex_lock(&checking);
    printf("checking %d %d, ", first, again);
    first = pthread_mutex_lock(&recursive), again = pthread_mutex_lock(&recursive);
    printf("recursive %d %d\n", first, again);
    errno = 77;
    nanosleep(&MOMENT, NULL); // kept
    printf("errno is %d\n", errno);
    int failed = nanosleep(&(struct timespec){-1, 0}, NULL);
    printf("nanosleep %d %d\n", failed, errno);
    failed = waitpid(getpid(), NULL, 0);
    printf("waitpid %d %d\n", failed, errno);
    struct timespec past = {0};
    pthread_mutex_lock(&mutex);
    printf("condition says %d\n", pthread_cond_timedwait(&condition, &mutex, &past));
    pthread_mutex_unlock(&mutex);
    struct timespec rest = {0};
    signal(SIGALRM, SIG_IGN);
    printf("rest is %ld\n", (long)nanosleep(&MOMENT, &rest) + rest.tv_nsec);
    say("kept", 1);
}

static void *robust_dies(void *mutex_of)
{
    pthread_mutex_lock(mutex_of);
    return NULL;
}

// A mutex whose holder has died.
static void robust(void)
{
    pthread_t thread;
    pthread_mutex_t left_locked;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&left_locked, &kind);
    pthread_create(&thread, NULL, robust_dies, &left_locked);
    pthread_join(thread, NULL);
    int code = pthread_mutex_lock(&left_locked); // robust
    printf("lock %d, consistent %d\n", code == EOWNERDEAD, pthread_mutex_consistent(&left_locked));
    say("robust", 0);
}

static long counted;

static void *counts(void *unused)
{
    for (int at = 0; at < 20000; at++) {
        pthread_mutex_lock(&mutex);
        counted++;
        pthread_mutex_unlock(&mutex);
        if (at % 200 == 0)
            MPI_Barrier(MPI_COMM_SELF);
    }
    return unused;
}

// Threads that want one mutex all the time.
static void contended(void)
{
    pthread_t threads[4];
    for (int at = 0; at < 4; at++)
        pthread_create(&threads[at], NULL, counts, NULL);
    for (int at = 0; at < 4; at++)
        pthread_join(threads[at], NULL);
    printf("threads counted %ld\n", counted);
}

static void between_polls(void)
{
    int done = 0, size, rank;
    MPI_Request request;
    char byte;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&byte, 1, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &request);
    for (int at = 0; at < 50; at++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){0, 300000}, NULL); // between_polls
    }
    MPI_Send("1", 1, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("is done: %d\n", done);
    say("between_polls", 50);
}

static void killed(void)
{
    for (int at = 0; at < 10; at++)
        nanosleep(&MOMENT, NULL); // killed
    MPI_Barrier(MPI_COMM_WORLD);
    say("killed", 10);
    fflush(stdout);
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"forks", forks},         {"vforks", vforks}, {"signals", signals},     {"left", left},
        {"cancels", cancels},     {"errors", errors}, {"robust", robust},       {"contended", contended},
        {"between_polls", between_polls}, {"killed", killed},
    };
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    sem_init(&semaphore, 0, 0);
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        if (strcmp(argv[1], cases[at].name) == 0)
            cases[at].run();
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
