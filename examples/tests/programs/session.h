// What programs with several sessions do in each.
#include <mpi.h>

// Opens a session, exchanges ten messages between two processes, and closes it. Returns how many were wrong; `rank` is set
// to this process's. Between `opened` and `closes`, other sessions may be open too.
static int exchange_in_session(const char *tag, int *rank, void (*opened)(void), void (*closes)(void))
{
    int wrong = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    opened();
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, rank);
    for (int i = 0; i < 10; i++) {
        int in = -1;
        MPI_Sendrecv(rank, 1, MPI_INT, 1 - *rank, i, &in, 1, MPI_INT, 1 - *rank, i, comm, MPI_STATUS_IGNORE);
        wrong += in != 1 - *rank;
    }
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    closes();
    MPI_Session_finalize(&session);
    return wrong;
}
