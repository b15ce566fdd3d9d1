// Each rank communicates, and for each pair of arguments makes a child in the way that the first says, which ends in the way
// that the second says, and communicates again. A child that stays this program calls only what asks MPI for something.
// run: -n 2 -- fork|_Fork|enter|clone|vfork|posix_spawn|system|popen exit|_exit|killed ...
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10, QUESTIONS = 1000 };

extern char **environ;
static int rank, wrong;
static const char *end;

static void communicate(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        int out = 10 * i + rank, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != 10 * i + 1 - rank;
    }
}

static int live(void *unused)
{
    int yes = 0;
    double time = 0;
    (void)unused;
    for (int i = 0; i < QUESTIONS; i++) {
        MPI_Initialized(&yes);
        time += MPI_Wtime();
    }
    if (!yes || time <= 0)
        _exit(9);
    if (!strcmp(end, "killed"))
        kill(getpid(), SIGKILL);
    if (!strcmp(end, "exit"))
        exit(3);
    _exit(3);
}

static void wait_for(pid_t child, int code)
{
    int status = -1, killed = code == 3 && !strcmp(end, "killed");
    if (child < 0 || waitpid(child, &status, 0) != child)
        wrong += 100;
    else if (killed)
        wrong += 1000 * !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    else
        wrong += 10000 * !(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void stays(pid_t child)
{
    if (child == 0)
        live(NULL);
    wait_for(child, 3);
}

static void make_child(const char *how)
{
    static char stack[1 << 18] __attribute__((aligned(16)));
    char *command[] = {"true", NULL};
    if (!strcmp(how, "fork")) {
        stays(fork());
    } else if (!strcmp(how, "_Fork")) {
        stays(_Fork());
    } else if (!strcmp(how, "enter")) {
        stays(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    } else if (!strcmp(how, "clone")) {
        wait_for(clone(live, stack + sizeof(stack), SIGCHLD, NULL), 3);
    } else if (!strcmp(how, "vfork")) {
        pid_t child = vfork();
        if (child == 0) {
            execve("/bin/true", command, environ);
            _exit(1);
        }
        wait_for(child, 0);
    } else if (!strcmp(how, "posix_spawn")) {
        pid_t child = -1;
        posix_spawn(&child, "/bin/true", NULL, NULL, command, environ);
        wait_for(child, 0);
    } else if (!strcmp(how, "system")) {
        wrong += system("true");
    } else if (!strcmp(how, "popen")) {
        char text[8] = "";
        FILE *pipe = popen("echo hello", "r");
        wrong += !pipe || !fgets(text, sizeof(text), pipe) || strcmp(text, "hello\n");
        wrong += pclose(pipe);
    }
}

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    communicate();
    for (int i = 1; i + 1 < argc; i += 2) {
        end = argv[i + 1];
        make_child(argv[i]);
        communicate();
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d\n", all ? "wrong" : "ok", all);
    MPI_Finalize();
    return 0;
}
