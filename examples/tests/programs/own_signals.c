// Counts the signals of a timer of its own by the thread that they come in: the one that asked for them, or a second one that sleeps
// and takes whatever the first does not, as threads of an MPI library would. Meanwhile the first computes, and calls MPI as never
// before. With `jumps` the handler leaves by siglongjmp, in the first thread where the program allows it. `sent` signals come
// from the second thread, one after the other, and the system takes the handler away each time.
// Arguments: profiling, virtual, alarm, timer or sent; jumps.
// run: -n 1
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int here, astray, jumped, unlike;
static volatile sig_atomic_t may_jump;
static volatile double sink;
static sigjmp_buf back;
static pid_t own;
static int jumps, is_sent, is_over, expected, sent;
static pthread_t first;
static struct sigaction action;

static void handler(int number, siginfo_t *information, void *context)
{
    (void)context;
    unlike += information->si_signo != number || information->si_code != expected;
    if (syscall(SYS_gettid) == own)
        here++;
    else
        astray++;
    if (is_sent)
        sigaction(number, &action, NULL);
    // In another thread that would end the program.
    if (jumps && may_jump && syscall(SYS_gettid) == own) {
        may_jump = 0;
        siglongjmp(back, 1);
    }
}

static void *sleeps(void *unused)
{
    while (is_sent && !is_over) {
        if (here == sent && !pthread_kill(first, SIGUSR2))
            sent++;
        usleep(100);
    }
    for (;;)
        pause();
    return unused;
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void compute(double seconds)
{
    for (double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds; now(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (int turn = 0; turn < 200; turn++)
            sink += sqrt(turn);
}

static void call_anew(void)
{
    static int tag = 0;
    int flag;
    for (int turn = 0; turn < 100; turn++)
        MPI_Iprobe(MPI_ANY_SOURCE, tag++ % (1 << 20), MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int level, number = SIGALRM, which = ITIMER_REAL;
    const char *what = argc > 1 ? argv[1] : "alarm";
    struct itimerval each = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct itimerspec often = {{0, 200000}, {0, 200000}}, disarmed = {{0, 0}, {0, 0}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2};
    timer_t timer;
    pthread_t thread;
    jumps = argc > 2 && !strcmp(argv[2], "jumps");
    own = (pid_t)syscall(SYS_gettid);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    expected = SI_KERNEL;
    if (!strcmp(what, "profiling"))
        number = SIGPROF, which = ITIMER_PROF;
    else if (!strcmp(what, "virtual"))
        number = SIGVTALRM, which = ITIMER_VIRTUAL;
    else if (!strcmp(what, "timer"))
        number = SIGRTMIN + 2, expected = SI_TIMER;
    else if (!strcmp(what, "sent"))
        number = SIGUSR2, expected = SI_TKILL, is_sent = 1;
    struct sigaction found;
    action = (struct sigaction){.sa_sigaction = handler, .sa_flags = SA_RESTART | SA_SIGINFO | (is_sent ? SA_RESETHAND : SA_NODEFER)};
    sigaddset(&action.sa_mask, SIGHUP);
    sigaction(number, &action, NULL);
    sigaction(number, NULL, &found);
    if (found.sa_sigaction != handler ||
        (found.sa_flags & ~0x04000000) != (action.sa_flags & ~0x04000000) || !sigismember(&found.sa_mask, SIGHUP))
        printf("sigaction tells another handler, mask or flags: %x\n", found.sa_flags);
    first = pthread_self();
    pthread_create(&thread, NULL, sleeps, NULL);
    usleep(10000);
    // If the system lets it: the kernel gives signals of a thread that waits for a core to another.
    struct sched_param first_of_all = {.sched_priority = 1};
    pthread_setschedparam(first, SCHED_FIFO, &first_of_all);
    if (number == SIGRTMIN + 2) {
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &often, NULL);
    } else if (!is_sent)
        setitimer(which, &each, NULL);
    // Of processor time, so that a busy machine changes the number of signals little; but it may keep the thread that sends from a core.
    double begin = now(CLOCK_THREAD_CPUTIME_ID), spent = 0;
    for (; spent < 0.6 || (is_sent && here < 100 && spent < 20); spent = now(CLOCK_THREAD_CPUTIME_ID) - begin) {
        if (sigsetjmp(back, 1) == 0) {
            may_jump = 1;
            compute(0.0005);
        } else
            jumped++;
        may_jump = 0;
        call_anew();
    }
    is_over = 1;
    if (number == SIGRTMIN + 2)
        timer_settime(timer, 0, &disarmed, NULL);
    else
        setitimer(which, &never, NULL);
    // The last signal may still be on its way.
    usleep(50000);
    printf("%d here, %d astray, %d unlike, %d jumps, %d sent\n", here, astray, unlike, jumped, sent);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
