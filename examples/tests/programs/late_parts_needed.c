// What late_parts_first.c needs.
#include <mpi.h>

int ask_needed(int times)
{
    int length = 0, wrong = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    while (times--)
        wrong += MPI_Get_library_version(text, &length) != MPI_SUCCESS || length < 1;
    return wrong;
}
