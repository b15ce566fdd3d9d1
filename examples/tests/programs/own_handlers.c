// Sets handlers of signals in all ways that the C library has, before and after MPI_Init, and checks what the system answers and what
// the handlers get. Says ok if all is so.
// run: -n 1
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc adds it to what the program asks for.
#define RESTORER 0x04000000

static volatile sig_atomic_t taken, masked, informed, allocates, allocated;
static int faults;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("line %d: %s is not so, errno %d\n", __LINE__, #what, errno); \
            faults++; \
        } \
    } while (0)

// Signal handlers may run inside malloc.
void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    allocated += allocates;
    return __libc_malloc(size);
}

static void early(int number)
{
    taken += number == SIGIO;
}

static void simple(int number)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    masked = sigismember(&mask, number) | sigismember(&mask, SIGUSR2) << 1 | sigismember(&mask, SIGHUP) << 2;
    taken++;
}

static void full(int number, siginfo_t *information, void *context)
{
    informed += information->si_signo == number && information->si_value.sival_int == 7 && context != NULL;
    simple(number);
}

static void asks(int number)
{
    struct sigaction action;
    sigset_t mask;
    allocates = 1;
    sigaction(number, NULL, &action);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    signal(number, SIG_DFL);
    sigset(SIGUSR2, SIG_IGN);
    allocates = 0;
    taken++;
}

// A signal's action: handler, and flags that the program asked for.
static int is(int number, void (*handler)(int), int flags)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == handler && (now.sa_flags & ~RESTORER) == flags;
}

static void each(int number)
{
    struct sigaction action = {.sa_handler = simple}, old;
    union sigval value = {.sival_int = 7};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    taken = informed = 0;
    EXPECT(sigaction(number, &action, NULL) == 0 && is(number, simple, 0));
    EXPECT(raise(number) == 0 && taken == 1 && masked == 3);
    action.sa_sigaction = full;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    EXPECT(sigaction(number, &action, &old) == 0 && old.sa_handler == simple && sigismember(&old.sa_mask, SIGUSR2));
    EXPECT(pthread_sigqueue(pthread_self(), number, value) == 0 && taken == 2 && informed == 1 && masked == 2);
    action.sa_handler = simple;
    action.sa_flags = SA_RESETHAND;
    EXPECT(sigaction(number, &action, &old) == 0 && old.sa_sigaction == full && (old.sa_flags & SA_NODEFER));
    EXPECT(is(number, simple, SA_RESETHAND) && raise(number) == 0 && taken == 3 && is(number, SIG_DFL, SA_RESETHAND));
    EXPECT(signal(number, simple) == SIG_DFL && is(number, simple, SA_RESTART));
    EXPECT(raise(number) == 0 && taken == 4 && masked == 1);
    EXPECT(siginterrupt(number, 1) == 0 && is(number, simple, 0) && raise(number) == 0 && taken == 5);
    EXPECT(siginterrupt(number, 0) == 0 && signal(number, early) == simple && is(number, early, SA_RESTART));
    EXPECT(sysv_signal(number, simple) == early && raise(number) == 0 && taken == 6 && masked == 0);
    EXPECT(is(number, SIG_DFL, SA_RESETHAND | SA_NODEFER | 0x20000000) || is(number, SIG_DFL, SA_RESETHAND | SA_NODEFER));
    EXPECT(sigset(number, simple) == SIG_DFL && raise(number) == 0 && taken == 7 && sigset(number, SIG_HOLD) == simple);
    EXPECT(raise(number) == 0 && taken == 7 && sigset(number, simple) == SIG_HOLD && taken == 8);
    EXPECT(signal(number, SIG_IGN) == simple && raise(number) == 0 && taken == 8 && is(number, SIG_IGN, SA_RESTART));
    EXPECT(signal(number, SIG_DFL) == SIG_IGN && signal(SIGKILL, simple) == SIG_ERR && errno == EINVAL);
}

// A child that has the memory of its parent, but its own handlers.
static void with_vfork(void)
{
    int status = 0;
    EXPECT(signal(SIGHUP, simple) != SIG_ERR);
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGHUP, SIG_IGN);
        signal(SIGHUP, SIG_DFL);
        signal(SIGHUP, early);
        raise(SIGHUP);
        _exit(3);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    taken = 0;
    EXPECT(is(SIGHUP, simple, SA_RESTART) && raise(SIGHUP) == 0 && taken == 1);
}

static void with_fork(void)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        taken = 0;
        EXPECT(is(SIGHUP, simple, SA_RESTART) && raise(SIGHUP) == 0 && taken == 1);
        EXPECT(signal(SIGHUP, early) == simple && raise(SIGHUP) == 0 && taken == 1);
        EXPECT(signal(SIGHUP, SIG_DFL) == early);
        fflush(stdout);
        if (faults == 0)
            raise(SIGHUP);
        _exit(faults);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
    EXPECT(is(SIGHUP, simple, SA_RESTART));
    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "kill -HUP $$; exit 5", NULL);
        _exit(6);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
}

int main(int argc, char **argv)
{
    signal(SIGIO, early);
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_SELF);
    EXPECT(is(SIGIO, early, SA_RESTART) && raise(SIGIO) == 0 && taken == 1);
    EXPECT(signal(SIGIO, asks) == early);
    EXPECT(raise(SIGIO) == 0 && taken == 2 && allocated == 0 && is(SIGIO, SIG_DFL, SA_RESTART));
    EXPECT(is(SIGUSR2, SIG_IGN, 0));
    each(SIGIO);
    each(SIGPROF);
    each(SIGRTMIN + 3);
    // The one that threads are sampled by: the recorder has a handler for it.
    struct sigaction own = {.sa_handler = simple, .sa_flags = SA_RESETHAND}, now;
    taken = 0;
    EXPECT(sigaction(SIGRTMAX, &own, NULL) == 0 && is(SIGRTMAX, simple, SA_RESETHAND));
    EXPECT(raise(SIGRTMAX) == 0 && taken == 1 && masked == 1 && is(SIGRTMAX, SIG_DFL, SA_RESETHAND));
    own.sa_flags = SA_NODEFER;
    sigemptyset(&own.sa_mask);
    sigaddset(&own.sa_mask, SIGHUP);
    EXPECT(sigaction(SIGRTMAX, &own, NULL) == 0 && raise(SIGRTMAX) == 0 && taken == 2 && masked == 4);
    EXPECT(sigaction(SIGRTMAX, NULL, &now) == 0 && now.sa_handler == simple && sigismember(&now.sa_mask, SIGHUP));
    EXPECT((now.sa_flags & ~RESTORER) == SA_NODEFER && !sigismember(&now.sa_mask, SIGUSR2));
    with_vfork();
    with_fork();
    MPI_Finalize();
    if (faults == 0)
        printf("ok\n");
    return faults != 0;
}
