// Lets some time pass between MPI_Init and MPI_Finalize: its argument in milliseconds. With "handler", the world has an
// error handler that ends the program; with "busy", rank 1 alone makes a million calls; with "fails", the first rank by the
// launcher has nowhere to record to.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    _exit(9);
}

int main(int argc, char **argv)
{
    int rank;
    char byte = 0;
    const char *also = argc > 2 ? argv[2] : "";
    const char *first = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
    if (!strcmp(also, "fails") && first && !strcmp(first, "0"))
        setenv("OVERHEAR_DIR", "/proc/nowhere/run", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(also, "handler")) {
        MPI_Errhandler own;
        MPI_Comm_create_errhandler(handler, &own);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
        MPI_Errhandler_free(&own);
    }
    if (!strcmp(also, "busy") && rank == 1)
        for (int i = 0; i < 1000000; i++)
            MPI_Bcast(&byte, 1, MPI_BYTE, 0, MPI_COMM_SELF);
    usleep(atoi(argv[1]) * 1000);
    MPI_Finalize();
    return 0;
}
