// Accesses to files where programs seldom have them. The first argument chooses, the second is a folder for the files; each
// line says how many accesses, of how many bytes, are to be recorded at the line with a comment in this file, or how many writes of how
// many bytes to a file in the folder.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder, *other_library;
static sigjmp_buf behind;
static volatile sig_atomic_t written_in_handler;
static int other;

static const char *in_folder(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make(const char *name)
{
    return open(in_folder(name), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
}

static void say(const char *where, int accesses, long bytes)
{
    printf("%s %d %ld\n", where, accesses, bytes);
}

static void forks(void)
{
    int status, file = make("forks");
    pid_t child = fork();
    if (child == 0) {
        int own = make("of_child");
        int done = write(own, "12345", 5) == 5 && write(file, "12", 2) == 2; // in_child
        _exit(done ? 7 : 1);
    }
    waitpid(child, &status, 0);
    ssize_t bytes = write(file, "123", 3); // by_parent
    printf("child %d, wrote %zd\n", WEXITSTATUS(status), bytes);
    say("in_child", 0, 0);
    say("by_parent", 1, 3);
    say("file:forks", 1, 3);
    say("file:of_child", 0, 0);
}

// A child of vfork has this process's memory, and descriptors of its own.
static void vforks(void)
{
    int status;
    pid_t child = vfork();
    if (child == 0) {
        int own = open("/dev/null", O_WRONLY);
        dup2(own, 1);
        execl("/bin/sh", "sh", "-c", "echo unseen; exit 3", NULL);
        _exit(9);
    }
    waitpid(child, &status, 0);
    int file = make("behind_vfork");
    ssize_t bytes = write(file, "1234", 4); // behind_vfork
    printf("child %d, wrote %zd\n", WEXITSTATUS(status), bytes);
    say("behind_vfork", 1, 4);
    say("file:behind_vfork", 1, 4);
}

static void on_alarm(int number)
{
    (void)number;
    int before = errno;
    if (write(other, "x", 1) == 1)
        written_in_handler++;
    errno = before;
}

static void signals(void)
{
    int file = make("main");
    other = make("handler");
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
    int failed = 0, count = 0;
    while (written_in_handler < 200) {
        failed += write(file, "12345678", 8) != 8; // interrupted
        if (++count % 100 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("failed %d\n", failed);
    close(file);
}

static ssize_t leave(void *cookie, const char *from, size_t bytes)
{
    (void)cookie, (void)from, (void)bytes;
    siglongjmp(behind, 1);
}

// A stream whose own function leaves it.
static void cookies(void)
{
    volatile int left = 0;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = leave});
    setvbuf(stream, NULL, _IONBF, 0);
    if (sigsetjmp(behind, 1) == 0)
        fwrite("1234", 1, 4, stream); // in_memory
    else
        left = 1;
    int file = make("behind_cookie");
    ssize_t bytes = write(file, "12345", 5); // behind_cookie
    printf("left %d, wrote %zd\n", left, bytes);
    say("in_memory", 0, 0);
    say("behind_cookie", 1, 5);
}

static void on_alarm_leave(int number)
{
    (void)number;
    siglongjmp(behind, 1);
}

// Reads that a signal handler leaves.
static void left(void)
{
    int ends[2];
    volatile int times = 0;
    char byte;
    if (pipe(ends))
        exit(1);
    signal(SIGALRM, on_alarm_leave);
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(behind, 1) == 0) {
            setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 2000}}, NULL);
            if (read(ends[0], &byte, 1) == 1) // left
                exit(1);
        } else {
            times++;
        }
    }
    ssize_t bytes = write(ends[1], "1", 1);
    bytes += read(ends[0], &byte, 1); // behind_left
    MPI_Barrier(MPI_COMM_WORLD);
    printf("left %d times, then %zd\n", times, bytes);
    say("left", 0, 0);
    say("behind_left", 1, 1);
}

// A descriptor that stands for other files in turn.
static void replaces(void)
{
    int one = make("one"), two = make("two");
    ssize_t bytes = write(one, "1", 1);
    dup2(two, one);
    bytes += write(one, "22", 2);
    close(one);
    FILE *pipe = popen("cat > /dev/null", "w");
    bytes += write(fileno(pipe), "333", 3);
    pclose(pipe);
    int three = make("three");
    bytes += write(three, "4444", 4);
    close_range(three, three, 0);
    int four = make("four");
    bytes += write(four, "55555", 5);
    printf("wrote %zd\n", bytes);
    say("file:one", 1, 1);
    say("file:two", 1, 2);
    say("file:three", 1, 4);
    say("file:four", 1, 5);
}

static void many(void)
{
    long bytes = 0;
    int opened = 0;
    char name[40];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "many-%d", i);
        int file = make(name);
        opened += file >= 0;
        bytes += write(file, "1234", 4); // many
        close(file);
        unlink(in_folder(name));
    }
    printf("opened %d, wrote %ld\n", opened, bytes);
    say("many", 5000, 20000);
    say("file:many-0", 1, 4);
}

static void clean_up(void *cleaned)
{
    *(int *)cleaned = 1;
}

static int ends_of_thread[2], cleaned;

static void *blocks(void *unused)
{
    char byte;
    MPI_Barrier(MPI_COMM_SELF);
    pthread_cleanup_push(clean_up, &cleaned);
    (void)!write(ends_of_thread[1], "1", 1); // before_cancelled
    (void)!read(ends_of_thread[0], &byte, 1);
    while (read(ends_of_thread[0], &byte, 1) >= 0) // cancelled
        ;
    pthread_cleanup_pop(0);
    return unused;
}

static void cancels(void)
{
    int ended = 0;
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        if (pipe(ends_of_thread))
            exit(1);
        cleaned = 0;
        pthread_create(&thread, NULL, blocks, NULL);
        usleep(1000 * (i % 4));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        ended += result == PTHREAD_CANCELED;
        close(ends_of_thread[0]);
        close(ends_of_thread[1]);
    }
    printf("ended %d, cleaned %d\n", ended, cleaned);
    say("cancelled", 0, 0);
}

static void errors(void)
{
    char byte = 0;
    int numbers[6], at = 0;
    errno = 0;
    (void)!read(-1, &byte, 1); // failed
    numbers[at++] = errno;
    open(in_folder("missing/file"), O_RDONLY); // not_opened
    numbers[at++] = errno;
    numbers[at++] = fopen(in_folder("missing/file"), "r") == NULL ? errno : 0;
    int file = make("kept");
    errno = 77;
    (void)!write(file, "12", 2); // kept
    numbers[at++] = errno;
    FILE *stream = fmemopen(&byte, 1, "r");
    errno = 78;
    (void)!fread(&byte, 1, 1, stream);
    numbers[at++] = errno;
    close(file);
    numbers[at++] = close(file) == -1 ? errno : 0;
    for (int i = 0; i < at; i++)
        printf("errno %d\n", numbers[i]);
    say("failed", 1, 0);
    say("not_opened", 1, 0);
    say("kept", 1, 2);
}

static void loads(void)
{
    void *library = dlopen(other_library, RTLD_NOW);
    long (*write_part)(int) = library ? (long (*)(int))dlsym(library, "write_part") : NULL;
    printf("wrote %ld\n", write_part ? write_part(make("loaded")) : -1);
    say("part:loaded", 1, 7);
    say("file:loaded", 1, 7);
}

static void killed(void)
{
    int file = make("killed");
    for (int i = 0; i < 100; i++)
        (void)!write(file, "12", 2); // killed
    MPI_Barrier(MPI_COMM_WORLD);
    say("killed", 100, 200);
    fflush(stdout);
    (void)!write(file, "12", 2);
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"forks", forks}, {"vforks", vforks},   {"signals", signals}, {"cookies", cookies}, {"left", left},   {"replaces", replaces},
        {"many", many},   {"cancels", cancels}, {"errors", errors},   {"killed", killed},   {"loads", loads},
    };
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    folder = argv[2];
    other_library = argc > 3 ? argv[3] : "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
