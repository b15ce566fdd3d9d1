// Rank 0 leaves MPI_Recv by siglongjmp, out of a handler of SIGALRM, on the handler's own stack where the argument says so,
// and makes 10 calls from deeper in its stack than the one it left. MPI is not asked for more than to send and receive
// what is there.
// run: -n 2
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf back;

static void handler(int number)
{
    siglongjmp(back, number);
}

static void wait_for_nobody(int rank)
{
    int in;
    struct itimerval soon = {{0, 0}, {0, 100000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void call_from_deeper(int calls)
{
    volatile char room[100000];
    room[0] = 0;
    for (int i = 0; i < calls; i++)
        MPI_Barrier(MPI_COMM_SELF);
    room[1] = room[0];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = handler;
        if (argc > 1 && !strcmp(argv[1], "own-stack")) {
            stack_t stack = {malloc(1 << 16), 0, 1 << 16};
            sigaltstack(&stack, NULL);
            action.sa_flags = SA_ONSTACK;
        }
        sigaction(SIGALRM, &action, NULL);
        if (!sigsetjmp(back, 1))
            wait_for_nobody(rank);
        call_from_deeper(10);
        puts("jumped");
        fflush(stdout);
        // What MPI holds since the jump is not to be relied upon.
        _Exit(0);
    }
    // The launcher ends it when rank 0 has ended.
    sleep(5);
    _Exit(0);
}
