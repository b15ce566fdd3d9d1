// Fibers go from one thread of the system to another between calls, so that what one thread has begun another completes. One
// goes while it is in an error handler: the MPI_Send that it is in returns on another thread than it began on.
// run: -n 2
// cannot: mpich5 mpich5abi (where an error handler returns, so does MPI_Send, with success)
// also: MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Errhandler_free
// expect: calls MPI_Irecv = 2 * 2 * 50
// expect: calls MPI_Isend = 2 * 2 * 50
// expect: calls MPI_Waitall = 2 * 2 * 50
// expect: calls MPI_Sendrecv = 2 * 2 * 50
// expect: calls MPI_Send = 2 * 2 * 5
// expect: failed MPI_Send = 2 * 2 * 5
// expect: nested MPI_Sendrecv = 0
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { FIBERS = 2, ROUNDS = 50, STACK = 1 << 18, NOBODY = 99 };

static ucontext_t loops[FIBERS], fibers[FIBERS];
static int ended[FIBERS], wrong, rank, turn, handled;
static sem_t go[FIBERS];

// The thread that runs a fiber: the next turn has the other thread run it.
static __thread int thread, running;

// Compilers keep the address of what is a thread's own, and the thread changes.
static __attribute__((noinline)) ucontext_t *loop(void)
{
    return &loops[thread];
}

static void yield(int which)
{
    swapcontext(&fibers[which], loop());
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    handled++;
    yield(running);
}

static void live(int which)
{
    for (int i = 0; i < ROUNDS; i++) {
        int in = -1, got = -1;
        MPI_Request both[2];
        MPI_Irecv(&in, 1, MPI_INT, rank, which, MPI_COMM_WORLD, &both[0]);
        yield(which);
        MPI_Isend(&i, 1, MPI_INT, rank, which, MPI_COMM_WORLD, &both[1]);
        yield(which);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        if (i % 10 == 0)
            wrong += MPI_Send(&i, 1, MPI_INT, NOBODY, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
        MPI_Sendrecv(&i, 1, MPI_INT, rank, 9, &got, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != i || got != i;
    }
    ended[which] = 1;
    setcontext(loop());
}

// Runs one fiber for a while and the other, and has the other thread go on.
static void *run(void *argument)
{
    thread = *(int *)argument;
    for (;;) {
        sem_wait(&go[thread]);
        int any = 0;
        for (int i = 0; i < FIBERS; i++) {
            // Each thread begins with another fiber.
            running = (i + thread) % FIBERS;
            if (!ended[running]) {
                swapcontext(&loops[thread], &fibers[running]);
                any = 1;
            }
        }
        sem_post(&go[1 - thread]);
        if (!any)
            return NULL;
    }
}

int main(int argc, char **argv)
{
    int provided, which[FIBERS] = {0, 1};
    pthread_t threads[FIBERS];
    MPI_Errhandler handler;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = malloc(STACK);
        fibers[i].uc_stack.ss_size = STACK;
        makecontext(&fibers[i], (void (*)(void))live, 1, i);
        sem_init(&go[i], 0, 0);
    }
    for (int i = 0; i < FIBERS; i++)
        pthread_create(&threads[i], NULL, run, &which[i]);
    sem_post(&go[0]);
    for (int i = 0; i < FIBERS; i++)
        pthread_join(threads[i], NULL);
    MPI_Errhandler_free(&handler);
    if (wrong || handled != FIBERS * 5 || !ended[0] || !ended[1])
        printf("wrong: %d, %d errors handled\n", wrong, handled);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
