// Uses MPI by a session alone: no MPI_Init, no MPI_COMM_WORLD.
// run: -n 2
// needs: MPI_Session_init
// expect: calls MPI_Session_init = 2
// expect: calls MPI_Session_finalize = 2
// expect: calls MPI_Group_from_session_pset = 2
// expect: calls MPI_Comm_create_from_group = 2
// expect: calls MPI_Comm_free = 2
// expect: calls MPI_Group_free = 2
// expect: calls MPI_Sendrecv = 2 * 10
// expect: sent MPI_Sendrecv rank 0 = 10 * 4
// expect: received MPI_Sendrecv rank 1 = 10 * 4
// expect: messages MPI_Sendrecv 0 -> 1 = 10
// expect: messages MPI_Sendrecv 1 -> 0 = 10
// expect: calls MPI_Allreduce = 2
// expect: sent MPI_Allreduce rank 1 = 4
// expect: received MPI_Allreduce rank 0 = 4
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank, other, sum = 0;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "overhear", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, i, &other, 1, MPI_INT, 1 - rank, i, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&other, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0 && sum != 1)
        printf("wrong: %d\n", sum);
    else if (rank == 0)
        puts("ok");
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
