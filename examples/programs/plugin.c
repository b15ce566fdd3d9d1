// The program loads a library after MPI_Init, in a scope of its own, and most of the communication is done in there.
// run: -n 3
// plugin: plugin_part.c
// filter: all
// expect: calls MPI_Comm_rank = 3 + 3
// expect: calls MPI_Comm_size = 3
// expect: calls MPI_Get_library_version = 3
// expect: calls MPI_Sendrecv = 3 * 10
// expect: sent MPI_Sendrecv rank 2 = 10 * 4
// expect: received MPI_Sendrecv rank 2 = 10 * 4
// expect: messages MPI_Sendrecv 2 -> 0 = 10
// expect: calls MPI_Allreduce = 3
// expect: sent MPI_Allreduce rank 0 = 4
// expect: calls MPI_Reduce = 3
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SCOPE
#define SCOPE RTLD_LOCAL
#endif

int main(int argc, char **argv)
{
    int rank, all = 0;
    char path[4096] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (readlink("/proc/self/exe", path, sizeof path - sizeof "plugin_part.so") < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    strcpy(strrchr(path, '/') + 1, "plugin_part.so");
    void *plugin = dlopen(path, RTLD_NOW | SCOPE);
    int (*communicate)(void) = plugin ? (int (*)(void))dlsym(plugin, "communicate") : NULL;
    int wrong = communicate ? communicate() : 1;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d %s\n", all, plugin ? "" : dlerror());
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
