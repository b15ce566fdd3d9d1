// Threads, one after another, make receives of ever new tags, each a new signature to the recorder, until they are cancelled. No
// MPI waits for anything in such a call, so that it has no cancellation points of its own, as MPI_Iprobe has. A "deferred"
// cancellation acts where the thread asks for it; an "asynchronous" one anywhere between two calls, since the thread holds it off
// around them, as POSIX and MPI demand. A "reckless" thread lets it act inside MPI, too: what MPI had locked then stays locked,
// so the process ends without it.
// run: -n 2 -- [deferred|asynchronous] THREADS
// run: -n 1 -- reckless THREADS
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 30000 };

static int is_deferred, is_reckless, tag;
static volatile int made;
static MPI_Request requests[MOST];

static void changed(void)
{
    puts("the thread's cancellation is not as it was");
}

static void *call_with_new_tags(void *unused)
{
    int in, flag, type, state;
    (void)unused;
    if (is_reckless)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    for (;;) {
        if (is_reckless) {
            // Without memory of the allocator, whose lock would stay locked.
            MPI_Iprobe(MPI_ANY_SOURCE, tag++ % 30000, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            made++;
        } else if (made < MOST) {
            MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, tag++ % 30000, MPI_COMM_WORLD, &requests[made]);
            made++;
        }
        if (is_deferred) {
            pthread_testcancel();
        } else if (!is_reckless) {
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
            if (state != PTHREAD_CANCEL_ENABLE || type != PTHREAD_CANCEL_DEFERRED)
                changed();
            pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
            pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
            if (state != PTHREAD_CANCEL_DISABLE || type != PTHREAD_CANCEL_ASYNCHRONOUS)
                changed();
        }
    }
    return NULL;
}

// A call that the recorder has not seen, with each state and type of cancellation.
static void is_kept(void)
{
    static const int states[] = {PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE};
    static const int types[] = {PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS};
    for (int i = 0; i < 4; i++) {
        int flag, state, type;
        pthread_setcancelstate(states[i / 2], &state);
        pthread_setcanceltype(types[i % 2], &type);
        MPI_Iprobe(MPI_ANY_SOURCE, 31000 + i, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
        if (state != states[i / 2] || type != types[i % 2])
            changed();
    }
}

int main(int argc, char **argv)
{
    int provided, cancelled = 0;
    long calls = 0;
    void *result;
    pthread_t thread;
    is_deferred = strcmp(argv[1], "deferred") == 0;
    is_reckless = strcmp(argv[1], "reckless") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    is_kept();
    for (int i = 0; i < atoi(argv[2]); i++) {
        pthread_create(&thread, NULL, call_with_new_tags, NULL);
        usleep(3000 + 100 * (rand() % 100));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        // glibc 2.36 sometimes loses the result of an asynchronous one.
        cancelled += !is_deferred || result == PTHREAD_CANCELED;
        calls += made;
        while (!is_reckless && made > 0)
            MPI_Request_free(&requests[--made]);
    }
    printf("cancelled %d calls %ld\n", cancelled, calls);
    fflush(stdout);
    if (is_reckless)
        _exit(0);
    MPI_Finalize();
    return 0;
}
