// Checks that nobody writes to stacks of the program's that it does not use: the memory that it has named as its alternate stack and
// gives another meaning, a small one, and a fiber's small stack. Handlers that ask for the alternate stack run on it, and calls about
// it are answered as its own. Says ok if all is so.
// Arguments: stale, small, fiber, overflow, exits, answers, nested, thread or disarmed.
// run: -n 1
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SIZE (64 << 10)
#define PATTERN 0x5a

static volatile double sink;
static volatile sig_atomic_t handled, faults;
static sigjmp_buf back;
static char *stack;
static ucontext_t outside, inside;

#define EXPECT(what) \
    do { \
        if (!(what)) { \
            printf("%s is not so, errno %d\n", #what, errno); \
            faults++; \
        } \
    } while (0)

static void compute(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    double begin = time.tv_sec + time.tv_nsec / 1e9;
    do {
        for (int turn = 0; turn < 1000; turn++)
            sink += sqrt(turn);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_sec + time.tv_nsec / 1e9 < begin + seconds);
}

static int is_here(void *start, size_t size)
{
    char here;
    return &here >= (char *)start && &here < (char *)start + size;
}

static void name_stack(char *memory, size_t size)
{
    stack_t named = {.ss_sp = memory, .ss_size = size};
    EXPECT(sigaltstack(&named, NULL) == 0);
}

static long changed(const char *memory, size_t size)
{
    long bytes = 0;
    for (size_t at = 0; at < size; at++)
        bytes += memory[at] != PATTERN;
    return bytes;
}

// The memory of the alternate stack has become data.
static void stale(void)
{
    name_stack(stack, SIZE);
    memset(stack, PATTERN, SIZE);
    compute(0.3);
    EXPECT(changed(stack, SIZE) == 0);
}

// The smallest alternate stack that the system allows, below memory that is not there.
static void small(void)
{
    EXPECT(mprotect(stack + SIZE / 2 - 4096, 4096, PROT_NONE) == 0);
    name_stack(stack + SIZE / 2, 2048);
    memset(stack + SIZE / 2, PATTERN, SIZE / 2);
    compute(0.3);
    EXPECT(changed(stack + SIZE / 2, SIZE / 2) == 0);
}

static void in_fiber(void)
{
    compute(0.3);
}

// A fiber uses a few hundred bytes of its stack, once the loader has found the functions.
static void fiber(void)
{
    compute(0.001);
    memset(stack, PATTERN, SIZE);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = SIZE;
    inside.uc_link = &outside;
    makecontext(&inside, in_fiber, 0);
    EXPECT(swapcontext(&outside, &inside) == 0);
    EXPECT(changed(stack, SIZE - 1024) == 0);
}

static void on_overflow(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;
    EXPECT(number == SIGSEGV && information->si_addr != NULL && is_here(stack, SIZE));
    EXPECT((char *)context >= stack && (char *)context < stack + SIZE);
    EXPECT((char *)information >= stack && (char *)information < stack + SIZE);
#ifdef __x86_64__
    EXPECT((char *)interrupted->uc_mcontext.fpregs >= stack && (char *)interrupted->uc_mcontext.fpregs < stack + SIZE);
#endif
    (void)interrupted;
    stack_t now;
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK && now.ss_sp == stack && now.ss_size == SIZE);
    EXPECT(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL) == -1 && errno == EPERM);
    compute(0.02);
    handled++;
    siglongjmp(back, 1);
}

static int overflows(volatile char *from)
{
    volatile char room[10000];
    room[0] = from ? from[0] + 1 : 0;
    return overflows(room) + room[0];
}

static void overflow(void)
{
    struct sigaction action = {.sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    name_stack(stack, SIZE);
    sigaction(SIGSEGV, &action, NULL);
    for (int time = 0; time < 5; time++) {
        if (sigsetjmp(back, 1) == 0)
            overflows(NULL);
        // The stack is as good as new afterwards, and nobody else writes to it.
        memset(stack, PATTERN, SIZE);
        compute(0.05);
        EXPECT(changed(stack, SIZE) == 0);
    }
    EXPECT(handled == 5);
}

static void ends_well(int number)
{
    (void)number;
    if (is_here(stack, SIZE) && faults == 0) {
        printf("ok\n");
        fflush(stdout);
        _exit(0);
    }
    _exit(1);
}

// As Rust does, which has a message in place of the exit.
static void exits(void)
{
    struct sigaction action = {.sa_handler = ends_well, .sa_flags = SA_ONSTACK};
    name_stack(stack, SIZE);
    sigaction(SIGSEGV, &action, NULL);
    compute(0.05);
    overflows(NULL);
}

static void answers(void)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    name_stack(stack, SIZE);
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags == 0 && now.ss_sp == stack && now.ss_size == SIZE);
    EXPECT(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = 100}, NULL) == -1 && errno == ENOMEM);
    EXPECT(sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = SIZE, .ss_flags = 77}, NULL) == -1 && errno == EINVAL);
    EXPECT(sigaltstack(&none, &now) == 0 && now.ss_sp == stack);
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE && now.ss_size == 0);
}

static int inner;

static void on_inner(int number)
{
    (void)number;
    EXPECT(is_here(stack, SIZE));
    inner++;
}

static void on_outer(int number)
{
    char kept[2000];
    (void)number;
    memset(kept, PATTERN, sizeof kept);
    EXPECT(is_here(stack, SIZE));
    compute(0.01);
    raise(SIGUSR2);
    compute(0.01);
    EXPECT(changed(kept, sizeof kept) == 0);
    handled++;
}

// A second signal on the alternate stack, and samples in both handlers, leave the first one's frame alone.
static void nested(void)
{
    struct sigaction outer = {.sa_handler = on_outer, .sa_flags = SA_ONSTACK}, second = {.sa_handler = on_inner, .sa_flags = SA_ONSTACK};
    name_stack(stack, SIZE);
    sigaction(SIGUSR1, &outer, NULL);
    sigaction(SIGUSR2, &second, NULL);
    for (int time = 0; time < 20; time++) {
        compute(0.01);
        raise(SIGUSR1);
        EXPECT(handled == time + 1 && inner == time + 1);
    }
}

static void *in_thread(void *unused)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    name_stack(stack, SIZE);
    memset(stack, PATTERN, SIZE);
    MPI_Barrier(MPI_COMM_SELF);
    compute(0.1);
    EXPECT(changed(stack, SIZE) == 0);
    EXPECT(sigaltstack(&none, &now) == 0 && now.ss_sp == stack);
    memset(stack, PATTERN, SIZE);
    compute(0.1);
    EXPECT(changed(stack, SIZE) == 0);
    return unused;
}

// Threads that come and go, each with an alternate stack.
static void in_threads(void)
{
    for (int started = 0; started < 4; started++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, in_thread, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
}

static void on_disarmed(int number)
{
    stack_t now;
    (void)number;
    EXPECT(is_here(stack, SIZE));
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE);
    handled++;
}

// A stack that the kernel puts away while a handler runs on it.
static void disarmed(void)
{
    struct sigaction action = {.sa_handler = on_disarmed, .sa_flags = SA_ONSTACK};
    stack_t named = {.ss_sp = stack, .ss_size = SIZE, .ss_flags = (int)(1u << 31)};
    compute(0.05);
    EXPECT(sigaltstack(&named, NULL) == 0);
    sigaction(SIGUSR1, &action, NULL);
    memset(stack, PATTERN, SIZE);
    compute(0.1);
    EXPECT(changed(stack, SIZE) == 0);
    raise(SIGUSR1);
    EXPECT(handled == 1);
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    // Libraries with crash handlers may have named one.
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    MPI_Barrier(MPI_COMM_SELF);
    const char *what = argc > 1 ? argv[1] : "";
    stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(stack != MAP_FAILED);
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"stale", stale}, {"small", small}, {"fiber", fiber}, {"overflow", overflow}, {"exits", exits},
                {"answers", answers}, {"nested", nested}, {"thread", in_threads}, {"disarmed", disarmed}};
    int ran = 0;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        if (!strcmp(what, ways[way].name))
            ways[way].run(), ran++;
    EXPECT(ran == 1);
    MPI_Finalize();
    if (faults == 0)
        printf("ok\n");
    return faults != 0;
}
