// Says for calls of few and of many arguments how far below main the stack is when MPI calls an error handler or an
// operation of the program: the first time, and when the call is known.
// run: -n 1
#include <mpi.h>
#include <stdio.h>

static char *top;
static long below;

static void handler(MPI_Comm *comm, int *code, ...)
{
    char here;
    (void)comm;
    (void)code;
    below = top - &here;
}

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    char here;
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    below = top - &here;
}

#define SAY(call)                                    \
    for (int time = 0; time < 3; time++) {           \
        call;                                        \
        printf("%s %ld\n", #call, below);            \
    }

int main(int argc, char **argv)
{
    char here;
    int value = 0, other = 0;
    MPI_Errhandler errors;
    MPI_Request request;
    MPI_Op op;
    top = &here;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errors);
    MPI_Op_create(operation, 1, &op);
    SAY(MPI_Reduce_local(&value, &other, 1, MPI_INT, op));
    SAY(MPI_Probe(99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAY(MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
    SAY(MPI_Isend(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request));
    SAY(MPI_Sendrecv(&value, 1, MPI_INT, 99, 0, &other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));

    MPI_Finalize();
    return 0;
}
