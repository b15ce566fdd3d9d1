// Does what a signal that comes by surprise could disturb, for a second of processor time each, and says ok if it was not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static volatile sig_atomic_t ticks, received[NSIG];
static int faults;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("%s is not so, errno %d\n", #what, errno); \
            faults++; \
        } \
    } while (0)

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void compute(double seconds) {
    for (double end = processor_time() + seconds; processor_time() < end;)
        for (int turn = 0; turn < 1000; turn++)
            sink += sqrt(turn);
}

static void tick(int number) {
    ticks += number == SIGPROF;
}

// A profiler of the program's own gets all its signals.
static void profiles(void) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    struct itimerval each = {{0, 20000}, {0, 20000}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &each, NULL);
    compute(1);
    setitimer(ITIMER_PROF, &none, NULL);
    // A tick that is still pending swallows the next.
    EXPECT(ticks >= 20 && ticks <= 60);
}

// Waits for any signal, and gets only those that were sent.
static void waits(void) {
    sigset_t all, before;
    siginfo_t information;
    struct timespec brief = {0, 1000};
    int number = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int turn = 0; turn < 200; turn++) {
        compute(0.005);
        raise(turn % 2 ? SIGUSR1 : SIGRTMIN + 1);
        if (turn % 4 < 2)
            EXPECT(sigwait(&all, &number) == 0);
        else
            number = sigwaitinfo(&all, &information);
        EXPECT(number == (turn % 2 ? SIGUSR1 : SIGRTMIN + 1));
        EXPECT(sigtimedwait(&all, &information, &brief) == -1 && errno == EAGAIN);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Calls that a signal would end with EINTR.
static void sleeps(void) {
    int ends[2], epoll = epoll_create1(0), set = semget(IPC_PRIVATE, 1, 0600);
    EXPECT(pipe(ends) == 0 && epoll >= 0 && set >= 0);
    struct pollfd entry = {ends[0], POLLIN, 0};
    struct sembuf one = {0, 1, 0}, less = {0, -1, 0};
    struct epoll_event event;
    sigset_t unused;
    sigemptyset(&unused);
    sigaddset(&unused, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &unused, NULL);
    for (double end = processor_time() + 1; processor_time() < end;) {
        struct timespec brief = {0, 2000}, none = {0, 0};
        struct timeval shortly = {0, 2};
        EXPECT(poll(&entry, 1, 0) == 0);
        EXPECT(select(0, NULL, NULL, NULL, &shortly) == 0);
        EXPECT(epoll_wait(epoll, &event, 1, 0) == 0);
        EXPECT(nanosleep(&brief, NULL) == 0);
        EXPECT(usleep(1) == 0);
        EXPECT(semop(set, &one, 1) == 0 && semop(set, &less, 1) == 0);
        EXPECT(sigtimedwait(&unused, NULL, &none) == -1 && errno == EAGAIN);
    }
    semctl(set, 0, IPC_RMID);
}

static void note(int number) {
    received[number]++;
}

// A handler for each signal: what is sent comes, and nothing else.
static void handles(void) {
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        struct sigaction action = {.sa_handler = note}, now;
        EXPECT(sigaction(number, &action, NULL) == 0);
        EXPECT(sigaction(number, NULL, &now) == 0 && now.sa_handler == note);
    }
    compute(0.5);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        EXPECT(received[number] == 0);
        raise(number);
        EXPECT(received[number] == 1);
    }
    compute(0.5);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        EXPECT(received[number] == 1);
}

// The real-time signal that has a handler, by a system call, which nobody answers but the system; 0 for none.
static int handled(void) {
    for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
        unsigned long action[4] = {0};
        EXPECT(syscall(SYS_rt_sigaction, number, NULL, action, 8) == 0);
        if (action[0] != 0)
            return number;
    }
    return 0;
}

// Uses the very signal that threads are sampled by, or the highest.
static void names(void) {
    int number = 0, own = handled() ? handled() : SIGRTMAX;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, own);
    compute(0.2);
    pthread_sigmask(SIG_BLOCK, &only, NULL);
    for (int turn = 0; turn < 20; turn++) {
        siginfo_t information;
        union sigval value = {.sival_int = turn};
        compute(0.01);
        EXPECT(pthread_sigqueue(pthread_self(), own, value) == 0);
        EXPECT(sigwaitinfo(&only, &information) == own && information.si_value.sival_int == turn);
        number += information.si_code == SI_QUEUE;
    }
    EXPECT(number == 20);
}

// Blocks all signals by a system call of its own.
static void hides(void) {
    unsigned long all = ~0ul, before;
    compute(0.2);
    EXPECT(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8) == 0);
    compute(0.3);
}

// Says how many timers and handlers of real-time signals the process has.
static void lists(void) {
    char line[256];
    int timers = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    EXPECT(file != NULL);
    while (file && fgets(line, sizeof line, file))
        timers += strncmp(line, "ID:", 3) == 0;
    printf("%d timers, %s\n", timers, handled() ? "a handler" : "no handler");
}

static void *on_small_stack(void *unused) {
    for (int turn = 0; turn < 20; turn++) {
        MPI_Barrier(MPI_COMM_SELF);
        compute(0.01);
        errno = EDOM;
        compute(0.002);
        EXPECT(errno == EDOM);
    }
    return unused;
}

// Threads with the smallest stacks that the system allows.
static void has_threads(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    EXPECT(pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) == 0);
    for (int started = 0; started < 4; started++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, &small, on_small_stack, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Barrier(MPI_COMM_SELF);
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "profiles"))
        profiles();
    else if (!strcmp(what, "waits"))
        waits();
    else if (!strcmp(what, "sleeps"))
        sleeps();
    else if (!strcmp(what, "handles"))
        handles();
    else if (!strcmp(what, "names"))
        names();
    else if (!strcmp(what, "hides"))
        hides();
    else if (!strcmp(what, "lists"))
        lists();
    else if (!strcmp(what, "threads"))
        has_threads();
    else
        EXPECT(!"asked");
    MPI_Finalize();
    if (faults == 0)
        printf("ok\n");
    return faults != 0;
}
