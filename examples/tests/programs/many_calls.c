// THREADS threads of each rank are alive at once, and each makes CALLS calls that go to nobody: sends and receives in turn, by 32
// tags. Each rank prints "made COUNT". With LIMIT, the process may write files of so many bytes.
// run: -n 2 -- THREADS CALLS [LIMIT]
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int calls;
static long made;
static pthread_barrier_t start;

static void *call(void *argument)
{
    int value = 0;
    (void)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < calls; i++) {
        if (i % 2)
            MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, i % 32, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, i % 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    }
    // Nobody ends before all are done: recordings are not taken over.
    pthread_barrier_wait(&start);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 3 && !getenv("LIMITED")) {
        struct rlimit limit = {atol(argv[3]), atol(argv[3])};
        setrlimit(RLIMIT_FSIZE, &limit);
        setenv("LIMITED", "1", 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    int provided, threads = atoi(argv[1]);
    pthread_t *all = calloc(threads, sizeof *all);
    pthread_attr_t small;
    calls = atoi(argv[2]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 1;
    pthread_barrier_init(&start, NULL, threads);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], &small, call, NULL))
            return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    printf("made %ld\n", made);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
