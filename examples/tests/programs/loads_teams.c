// Without OpenMP of its own: loads a library that has it after MPI_Init, unloads it, and loads it again. The argument is the library's path.
// libgomp stays loaded, since it cannot be unloaded while its threads wait.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int execute(const char *path, int regions)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*regions_of)(int) = library ? (int (*)(int))dlsym(library, "regions_of") : NULL;
    int threads = regions_of ? regions_of(regions) : -1;
    if (library)
        dlclose(library);
    return threads;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL))
        return 1;
    int first = execute(argv[1], 7), second = execute(argv[1], 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("%d %d\n", first, second);
    return 0;
}
