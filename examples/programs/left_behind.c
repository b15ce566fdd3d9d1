// An error handler leaves MPI_Send by longjmp, again and again, and other calls follow.
// run: -n 1
// expect: calls MPI_Comm_create_errhandler = 1
// expect: calls MPI_Comm_set_errhandler = 1
// expect: calls MPI_Errhandler_free = 1
// expect: calls MPI_Send = 10
// expect: calls MPI_Bcast = 10
// expect: calls MPI_Barrier = 10
// expect: nested MPI_Bcast = 0
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static volatile int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    double number = 1.0;
    MPI_Errhandler leaves;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &leaves);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, leaves);
    MPI_Errhandler_free(&leaves);
    for (volatile int i = 0; i < 10; i++) {
        if (!setjmp(back))
            MPI_Send(&number, 1, MPI_DOUBLE, 99, 0, MPI_COMM_WORLD);
        MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
        MPI_Barrier(MPI_COMM_SELF);
    }
    puts(handled == 10 ? "ok" : "wrong: not every error was handled");
    MPI_Finalize();
    return 0;
}
