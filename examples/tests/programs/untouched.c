// Sets errno, the floating-point environment and the signal mask to unusual values, and looks whether MPI calls change
// them: the first of every kind, new call sites, datatypes, communicators and threads, and enough for pages to turn. What
// MPI changes by itself shows without the recorder, so it says what was changed after which calls.
// run: -n 2
#include <errno.h>
#include <fenv.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int rank;

static unsigned control_and_status(void)
{
#ifdef __x86_64__
    return __builtin_ia32_stmxcsr();
#else
    return 0;
#endif
}

static struct state {
    int error, rounding, exceptions;
    unsigned control;
    sigset_t mask;
} before, after;

static void read_state(struct state *state)
{
    memset(state, 0, sizeof *state);
    state->error = errno;
    state->rounding = fegetround();
    state->exceptions = fetestexcept(FE_ALL_EXCEPT);
    state->control = control_and_status();
    pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
}

static void set_state(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_UNDERFLOW);
    fesetround(FE_UPWARD);
    errno = 4711;
    read_state(&before);
}

static void compare(const char *what)
{
    read_state(&after);
    if (after.error != before.error)
        printf("rank %d: %s: errno %d\n", rank, what, after.error);
    if (after.rounding != before.rounding || after.exceptions != before.exceptions || after.control != before.control)
        printf("rank %d: %s: floating point %x %x %x\n", rank, what, after.rounding, after.exceptions, after.control);
    if (memcmp(&after.mask, &before.mask, sizeof after.mask))
        printf("rank %d: %s: signal mask\n", rank, what);
}

#define KEEPS(call)     \
    do {                \
        set_state();    \
        call;           \
        compare(#call); \
    } while (0)

static void *other_thread(void *unused)
{
    int flag;
    (void)unused;
    KEEPS(MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, flag, sum, number = 1;
    double values[64] = {0.0};
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Request request, requests[2];
    MPI_Win win;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    KEEPS(MPI_Barrier(MPI_COMM_WORLD));
    KEEPS(MPI_Comm_size(MPI_COMM_WORLD, &sum));
    KEEPS(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    KEEPS(MPI_Comm_set_name(comm, "named"));
    KEEPS(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type));
    KEEPS(MPI_Type_commit(&type));
    if (rank == 0)
        KEEPS(MPI_Send(values, 1, type, 1, 0, comm));
    else
        KEEPS(MPI_Recv(values, 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
    KEEPS(MPI_Isend(values, 1, MPI_DOUBLE, 1 - rank, 1, comm, &requests[0]));
    KEEPS(MPI_Irecv(values + 8, 1, MPI_DOUBLE, 1 - rank, 1, comm, &requests[1]));
    KEEPS(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    KEEPS(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm));
    KEEPS(MPI_Ibarrier(comm, &request));
    KEEPS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    KEEPS(MPI_Win_create(values, sizeof values, sizeof *values, MPI_INFO_NULL, comm, &win));
    KEEPS(MPI_Win_fence(0, win));
    KEEPS(MPI_Win_free(&win));
    KEEPS(for (int i = 1; i <= 40000; i++) MPI_Bcast(values, 1 + i % 64, MPI_DOUBLE, 0, MPI_COMM_SELF));
    KEEPS(for (int i = 1; i <= 1000; i++) MPI_Iprobe(MPI_ANY_SOURCE, i, comm, &flag, MPI_STATUS_IGNORE));
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    KEEPS(MPI_Type_free(&type));
    KEEPS(MPI_Comm_free(&comm));
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
