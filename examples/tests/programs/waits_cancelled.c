// Threads that wait for signals by sigwait, sigwaitinfo and sigtimedwait are cancelled, as those are that handle a program's signals. Says
// ok if each ends by that, and cleans up.
// run: -n 1
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int way, cleaned;
static sigset_t set;

static void clean_up(void *nothing)
{
    (void)nothing;
    cleaned++;
}

static void *wait_for_signals(void *nothing)
{
    const struct timespec long_time = {100, 0};
    siginfo_t information;
    int signal, flag;
    MPI_Initialized(&flag);
    pthread_cleanup_push(clean_up, nothing);
    for (;;) {
        if (way == 0)
            sigwait(&set, &signal);
        else if (way == 1)
            sigwaitinfo(&set, &information);
        else
            sigtimedwait(&set, &information, &long_time);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, cancelled = 0;
    pthread_t thread;
    void *result;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (way = 0; way < 3; way++) {
        pthread_create(&thread, NULL, wait_for_signals, NULL);
        usleep(50000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    if (cancelled == 3 && cleaned == 3)
        puts("ok");
    else
        printf("%d cancelled, %d cleaned up\n", cancelled, cleaned);
    MPI_Finalize();
    return 0;
}
