// What late_parts.c loads without looking anything up: it registers itself, and calls a function that the recorder exports first.
#include <mpi.h>

void register_part(int (*part)(int));

static int part(int times)
{
    int length = 0, size = 0, wrong = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    wrong += MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS;
    while (times--)
        wrong += MPI_Get_library_version(text, &length) != MPI_SUCCESS || length < 1;
    return wrong || size != 2;
}

__attribute__((constructor)) static void loaded(void)
{
    register_part(part);
}
