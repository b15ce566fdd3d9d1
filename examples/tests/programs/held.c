// Prints how much anonymous memory the process has, in KiB, once a tenth of its calls were made, and once all were: each thread sends
// itself messages of a thousand tags and sizes, again and again.
// run: -n 1 CALLS THREADS
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KINDS = 1000, MOST_THREADS = 64 };

static long calls;
static pthread_barrier_t all;

static long anonymous_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "RssAnon: %ld kB", &kib);
    if (status)
        fclose(status);
    return kib;
}

static void *run(void *number)
{
    static char out[KINDS], in[MOST_THREADS][KINDS];
    int thread = *(int *)number;
    for (long call = 0; call < calls; call++) {
        int kind = call % KINDS, tag = thread * KINDS + kind;
        MPI_Sendrecv(out, kind, MPI_BYTE, 0, tag, in[thread], kind, MPI_BYTE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        if (call == calls / 10 || call == calls - 1) {
            if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD)
                printf("%ld\n", anonymous_kib());
            pthread_barrier_wait(&all);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, threads = atoi(argv[2]), numbers[MOST_THREADS];
    pthread_t running[MOST_THREADS];
    calls = atol(argv[1]) / threads;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_init(&all, NULL, threads);
    for (int thread = 0; thread < threads; thread++) {
        numbers[thread] = thread;
        if (thread > 0)
            pthread_create(&running[thread], NULL, run, &numbers[thread]);
    }
    run(&numbers[0]);
    for (int thread = 1; thread < threads; thread++)
        pthread_join(running[thread], NULL);
    MPI_Finalize();
    return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
