// What loads_libraries.c loads, linked in four ways: it calls MPI by a function that the recorder exports, and by one that it
// sees only through this library's own slot.
#include <mpi.h>

int ask(void)
{
    int begun = 0, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&begun);
    MPI_Get_library_version(text, &length);
    return begun && length > 0;
}
