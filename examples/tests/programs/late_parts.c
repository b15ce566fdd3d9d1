// The program loads three libraries after MPI_Init. Of the first it looks up a function, which calls MPI in a library that the
// first one needs; the other has called the program when it was loaded, and nothing is looked up in it. Most calls are of a
// function that the recorder sees only through a library's own slot.
// run: -n 2
// cflags: -rdynamic
// filter: all
// expect: calls MPI_Get_library_version = 2 * 8
// expect: calls MPI_Comm_size = 2
// expect: calls MPI_Comm_rank = 2
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int (*registered)(int);

void register_part(int (*part)(int))
{
    registered = part;
}

static void *load(const char *name)
{
    char path[4096] = {0};
    if (readlink("/proc/self/exe", path, sizeof path - 64) < 0)
        return NULL;
    strcpy(strrchr(path, '/') + 1, name);
    return dlopen(path, RTLD_LAZY);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *first = load("late_parts_first.so");
    int (*ask)(int) = first ? (int (*)(int))dlsym(first, "ask_of_needed") : NULL;
    int wrong = !ask || ask(5);
    wrong += !load("late_parts_registers.so") || !registered || registered(3);
    if (rank == 0)
        puts(wrong ? dlerror() : "ok");
    MPI_Finalize();
    return 0;
}
