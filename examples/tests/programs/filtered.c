// Sets a seccomp filter once MPI is initialized, then makes calls with new signatures, from a second thread, of new objects and
// after a pause, and finalizes MPI. The filter lets pass the system calls of these NUMBERS; any other traps, and its handler
// prints "other N" the first time, and makes it. Prints "no filter" if there are none here.
// run: -n 2 -- NUMBERS...
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static int rank;

#ifdef __x86_64__
long raw_call(long number, long a, long b, long c, long d, long e, long f);
extern const char after_raw_call[];
__asm__(".text\nraw_call:\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n mov %r8, %r10\n mov %r9, %r8\n"
        " mov 8(%rsp), %r9\n syscall\nafter_raw_call: ret\n");

static unsigned char said[1024];

static void say(long number)
{
    char line[32] = "other ";
    int at = 6;
    for (long unit = 1000; unit; unit /= 10)
        line[at++] = '0' + number / unit % 10;
    line[at++] = '\n';
    raw_call(SYS_write, 1, (long)line, at, 0, 0, 0);
}

static void make(int signal, siginfo_t *information, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = information->si_syscall;
    (void)signal;
    if (number >= 0 && number < 1024 && !said[number]) {
        said[number] = 1;
        say(number);
    }
    registers[REG_RAX] = raw_call(number, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                                  registers[REG_R8], registers[REG_R9]);
    // The return from this handler restores the mask.
    if (number == SYS_rt_sigprocmask)
        raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&((ucontext_t *)context)->uc_sigmask, 8, 0, 0);
}

// Calls that cannot be made in a handler, or that the C library makes with all signals blocked as a thread begins and ends; and
// waiting, which is made or not as messages come.
static const int always[] = {SYS_rt_sigreturn, SYS_clone,    SYS_clone3,     SYS_fork,  SYS_vfork,           SYS_set_robust_list,
                             334 /* rseq */,   SYS_mmap,     SYS_mprotect,   SYS_exit,  SYS_madvise,         SYS_rt_sigprocmask,
                             SYS_futex,        SYS_poll,     SYS_ppoll,      SYS_select, SYS_sched_yield,    SYS_epoll_wait,
                             SYS_epoll_pwait,  SYS_nanosleep, SYS_clock_nanosleep};

static int set_filter(int count, char **numbers)
{
    struct sock_filter filter[1024], *next = filter;
    struct sigaction action = {.sa_sigaction = make, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sock_fprog program = {0, filter};
    unsigned long after = (unsigned long)after_raw_call;
    sigaction(SIGSYS, &action, NULL);
    *next++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    *next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)after, 0, 3);
    *next++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    *next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(after >> 32), 0, 1);
    *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    *next++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count + (int)(sizeof always / sizeof *always); i++) {
        *next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, i < count ? atoi(numbers[i]) : always[i - count], 0, 1);
        *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    program.len = next - filter;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return rank == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)
                     : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
#else
static int set_filter(int count, char **numbers)
{
    (void)count;
    (void)numbers;
    return -1;
}
#endif

static void calls(MPI_Comm comm)
{
    static double data[1 << 16];
    int flag;
    for (int tag = 0; tag < 3000; tag++)
        MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < 60000; i++)
        MPI_Bcast(data, 1 + i % 8, MPI_DOUBLE, 0, MPI_COMM_SELF);
    for (int i = 0; i < 50; i++)
        MPI_Sendrecv_replace(data, 1 << i % 17, MPI_DOUBLE, 1 - rank, i, 1 - rank, i, comm, MPI_STATUS_IGNORE);
}

static void *in_a_thread(void *comm)
{
    calls(*(MPI_Comm *)comm);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm comm, copy;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    // MPI connects its ranks at the first message.
    calls(comm);
    if (set_filter(argc - 1, argv + 1)) {
        puts("no filter");
        fflush(stdout);
    }
    calls(comm);
    MPI_Comm_dup(comm, &copy);
    for (int i = 0; i < 3; i++) {
        usleep(50000);
        MPI_Barrier(copy);
    }
    pthread_create(&thread, NULL, in_a_thread, &copy);
    pthread_join(thread, NULL);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    // The recorder waits for this rank.
    usleep(rank == 1 ? 600000 : 0);
    MPI_Finalize();
    return 0;
}
