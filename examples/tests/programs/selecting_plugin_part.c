// What selecting_plugin.c loads: a function that copies an attribute, and waits for no descriptor and no time.
#include <mpi.h>
#include <sys/select.h>

int selects(MPI_Comm old, int key, void *extra, void *in, void *out, int *is_kept)
{
    struct timeval none = {0, 0};
    (void)old, (void)key, (void)extra, (void)in, (void)out;
    *is_kept = 0;
    select(0, 0, 0, 0, &none);
    return MPI_SUCCESS;
}
