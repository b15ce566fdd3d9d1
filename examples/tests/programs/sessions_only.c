// Three ranks without MPI_Init make communicators of a session's process sets: of all, of each alone, and of ranks 0 and 2.
// run: -n 3
#include <mpi.h>
#include <stdio.h>

static MPI_Comm made_of(MPI_Group group, const char *tag)
{
    MPI_Comm comm;
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    return comm;
}

int main(void)
{
    int rank, in, sum = 0, ends[] = {0, 2};
    MPI_Session session;
    MPI_Group world, self, some;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Comm all = made_of(world, "all"), alone = made_of(self, "alone");
    MPI_Comm_rank(all, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 3, i, &in, 1, MPI_INT, (rank + 2) % 3, i, all, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, alone, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Barrier(alone);
    if (rank != 1) {
        MPI_Group_incl(world, 2, ends, &some);
        MPI_Comm both = made_of(some, "both");
        MPI_Barrier(both);
        MPI_Comm_free(&both);
        MPI_Group_free(&some);
    }
    MPI_Barrier(all);
    if (rank == 0)
        puts(sum == 0 + 1 + 2 ? "ok" : "wrong");
    MPI_Comm_free(&alone);
    MPI_Comm_free(&all);
    MPI_Group_free(&self);
    MPI_Group_free(&world);
    MPI_Session_finalize(&session);
    return 0;
}
