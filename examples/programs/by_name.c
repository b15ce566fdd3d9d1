// Asks the loader for MPI's functions by name, from the MPI library itself, as Julia and ctypes do.
// run: -n 2
// expect: calls MPI_Send rank 0 = 10
// expect: sent MPI_Send rank 0 = 10 * 8
// expect: calls MPI_Send at asked for by name = 10
// expect: calls MPI_Recv rank 1 = 10
// expect: messages MPI_Send 0 -> 1 = 10
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        puts(name);
    return found;
}

int main(int argc, char **argv)
{
    Dl_info info;
    int rank;
    double data = 0;
    // What is not to be seen says where the library is.
    if (!dladdr((void *)PMPI_Wtick, &info) || !(library = dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL)))
        return 1;
    int (*init)(int *, char ***) = function("MPI_Init");
    int (*comm_rank)(MPI_Comm, int *) = function("MPI_Comm_rank");
    int (*found_MPI_Send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = function("MPI_Send");
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = function("MPI_Recv");
    int (*finalize)(void) = function("MPI_Finalize");
    init(&argc, &argv);
    comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            found_MPI_Send(&data, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD); // asked for by name
        else
            recv(&data, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        puts(dlsym(library, "MPI_No_such_function") ? "wrong" : "ok");
    finalize();
    return 0;
}
