// Rank 0 makes 2,038,000 calls, some of them for the first time, and is interrupted by a timer all along. The handler asks
// MPI whether it is initialized, as one that ends the program by MPI_Abort would.
// run: -n 1
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

// The system signals any thread that does not block it: those that an MPI library has for itself run the handler, too.
static atomic_int interrupted;

static void handler(int signal)
{
    int flag;
    (void)signal;
    interrupted++;
    MPI_Initialized(&flag);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
    char bytes[64] = {0};
    int seen;
    MPI_Init(&argc, &argv);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 2000; i++) {
        for (int again = 0; again < 1000; again++)
            MPI_Bcast(bytes, 8, MPI_BYTE, 0, MPI_COMM_SELF);
        for (int size = 0; size < 19; size++)
            MPI_Bcast(bytes, 10 + (i + size) % 50, MPI_BYTE, 0, MPI_COMM_SELF);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    // The last signal may still be on its way to a thread of MPI's own.
    do {
        seen = interrupted;
        usleep(100000);
    } while (seen != interrupted);
    printf(interrupted ? "interrupted %d times\n" : "never interrupted\n", interrupted);
    MPI_Finalize();
    return 0;
}
