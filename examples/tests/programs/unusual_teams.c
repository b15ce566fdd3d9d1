// Parallel regions where programs seldom have them. The first argument chooses; each line says how many regions begin after a
// comment in this file and are to be recorded, and how many of them have tasks or teams inside.
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int sum;
static volatile sig_atomic_t alarms;

static void add(void)
{
#pragma omp atomic
    sum++;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void say(const char *where, int regions, int unknown)
{
    printf("%s %d %d\n", where, regions, unknown);
}

// Exits with the number of threads that have executed a region of the child's own.
static int in_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        sum = 0;
#pragma omp parallel num_threads(1) // child
        add();
        _exit(sum);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void forks(void)
{
    int inside = -1, last = -1;
#pragma omp parallel num_threads(2) // forks
    {
        add();
#pragma omp master
        inside = in_child();
    }
    int behind = in_child();
#pragma omp parallel num_threads(2) reduction(max : last) // behind_fork
    last = omp_get_thread_num();
    printf("sum %d, children %d and %d, last thread %d\n", sum, inside, behind, last);
    say("forks", 1, 0);
    say("behind_fork", 1, 0);
}

static void nested(void)
{
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) // outer
        {
#pragma omp parallel num_threads(2) // inner
            add();
        }
    }
    printf("sum %d\n", sum);
    say("outer", 3, 3);
    say("inner", 0, 0);
}

static void tasks(void)
{
#pragma omp parallel num_threads(2) // tasks
#pragma omp single
    for (int i = 0; i < 100; i++)
#pragma omp task
        add();
    int reduced = 0;
#pragma omp parallel num_threads(2) reduction(task, + : reduced) // task_reduction
    reduced++;
    printf("sum %d, reduced %d\n", sum, reduced);
    say("tasks", 1, 1);
    say("task_reduction", 0, 0);
}

static void cancels(void)
{
    for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(2) // cancels
        {
            if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
            }
#pragma omp barrier
            if (!omp_get_cancellation())
                add();
        }
    }
    printf("sum %d\n", sum);
    say("cancels", 100, 0);
}

static void calls(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) // calls
        {
#pragma omp master
            MPI_Barrier(MPI_COMM_WORLD);
            add();
        }
    }
    printf("sum %d\n", sum);
    say("calls", 3, 0);
}

static void on_alarm(int signal)
{
    alarms++;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}}, never = {{0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3000; i++) {
#pragma omp parallel num_threads(2) // signals
        {
            add();
#pragma omp barrier
            add();
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("sum %d, %s\n", sum, alarms > 0 ? "interrupted" : "not interrupted");
    say("signals", 3000, 0);
}

static void *ends(void *none)
{
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2) // ends
        add();
    }
    pthread_exit(NULL);
}

static void *is_cancelled(void *none)
{
    MPI_Barrier(MPI_COMM_SELF);
#pragma omp parallel num_threads(2) // is_cancelled
    add();
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return none;
}

static void threads(void)
{
    void *(*bodies[])(void *) = {ends, is_cancelled, ends};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, bodies[i], NULL);
        pthread_join(thread, NULL);
    }
    printf("sum %d\n", sum);
    say("ends", 8, 0);
    say("is_cancelled", 1, 0);
}

static void killed(void)
{
    for (int i = 0; i < 6; i++) {
#pragma omp parallel num_threads(2) // killed
        {
#pragma omp barrier
            if (i == 5 && omp_get_thread_num() == 1) {
                say("killed", 5, 0);
                fflush(stdout);
                raise(SIGKILL);
            }
            add();
        }
    }
}

static void before(void)
{
#pragma omp parallel num_threads(2) // before
    add();
#pragma omp parallel num_threads(2) // initializes
    {
#pragma omp master
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &(int){0});
#pragma omp barrier
        add();
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"forks", forks},     {"nested", nested},   {"tasks", tasks},   {"cancels", cancels},
               {"calls", calls},     {"signals", signals}, {"threads", threads}, {"killed", killed}};
    int is_around = strcmp(name, "around") == 0;
    if (is_around)
        before();
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &(int){0});
    for (int i = 0; i < 8; i++)
        if (strcmp(name, all[i].name) == 0)
            all[i].run();
    if (is_around) {
        for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) // between
            nap();
        }
    }
    MPI_Finalize();
    if (is_around) {
#pragma omp parallel num_threads(2) // after
        add();
        printf("sum %d\n", sum);
        say("before", 0, 0);
        say("initializes", 0, 0);
        say("between", 3, 0);
        say("after", 0, 0);
    }
    return 0;
}
