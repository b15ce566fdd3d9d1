// Loads a library, and has MPI call a function of it inside MPI_Comm_dup, as often as the program says: it calls select once each time.
// run: -n 2 -- LIBRARY TIMES
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int key;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library)
        return 1;
    MPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)dlsym(library, "selects"), MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    for (int i = 0; i < atoi(argv[2]); i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
