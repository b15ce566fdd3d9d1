// Threads call MPI and end, and the next one goes on with the recording of the one before. None of them learns of another by the
// program, which joins them at the end and asks the system whether one has ended before it begins the next.
// run: -n 1
// expect: calls MPI_Sendrecv = 6 * 10
// expect: sent MPI_Sendrecv = 6 * 10 * 4
// expect: messages MPI_Sendrecv 0 -> 0 = 6 * 10
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 6 };

static int ids[THREADS], wrong[THREADS];

static void *live(void *argument)
{
    int which = *(int *)argument;
    for (int i = 0; i < 10; i++) {
        int in = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, 0, which, &in, 1, MPI_INT, 0, which, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong[which] += in != i;
    }
    __atomic_store_n(&ids[which], (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
    return NULL;
}

static void await_end_of(int which)
{
    int id;
    while ((id = __atomic_load_n(&ids[which], __ATOMIC_RELAXED)) == 0)
        usleep(100);
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0)
        usleep(100);
}

int main(int argc, char **argv)
{
    int provided, which[THREADS], all = 0;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++) {
        which[i] = i;
        pthread_create(&threads[i], NULL, live, &which[i]);
        await_end_of(i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += wrong[i];
    }
    if (provided != MPI_THREAD_MULTIPLE)
        printf("wrong: level %d\n", provided);
    else if (all)
        printf("wrong: %d numbers\n", all);
    else
        puts("ok");
    MPI_Finalize();
    return 0;
}
