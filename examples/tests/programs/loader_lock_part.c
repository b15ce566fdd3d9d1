// What loader_lock.c loads: its constructor runs while the loader's lock is held. Nobody calls MPI from here, but the library has
// slots for it.
#include <mpi.h>

void hold_until_done(void);

__attribute__((constructor)) static void loaded(void)
{
    hold_until_done();
}

int is_initialized(void)
{
    int begun, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(text, &length);
    return MPI_Initialized(&begun);
}
