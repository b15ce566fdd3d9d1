// Starts, computes for a few milliseconds, and ends in the way that the argument says.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void compute(int turns) {
    for (int turn = 0; turn < turns; turn++)
        sink += turn;
}

static void *in_thread(void *unused) {
    int rank;
    MPI_Barrier(MPI_COMM_SELF);
    compute(4000000);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_SELF);
    return unused;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "finalize";
    if (!strcmp(way, "became"))
        return 0;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Barrier(MPI_COMM_SELF);
    compute(4000000 + getpid() % 1000 * 1000);
    if (!strcmp(way, "exec"))
        execl(argv[0], argv[0], "became", NULL);
    if (!strcmp(way, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            compute(8000000);
            execl(argv[0], argv[0], "became", NULL);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0)
            return 2;
    }
    if (!strcmp(way, "thread")) {
        for (int started = 0; started < 3; started++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
                return 3;
        }
    }
    if (!strcmp(way, "exit"))
        _exit(0);
    MPI_Finalize();
    compute(4000000);
    return 0;
}
