// Crashes inside MPI_Session_init, in the first one of the process or in one after another session.
// run: -n 2
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_finalize(&session);
    }
    // The library stores the session where nothing is mapped.
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, (MPI_Session *)64);
    return 0;
}
