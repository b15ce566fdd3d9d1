// A session is open from before MPI_Init until after MPI_Finalize.
// run: -n 2
// cannot: impi impiabi (MPI_Init says that it was called before)
// needs: MPI_Session_init
// expect: calls MPI_Session_init = 2
// expect: calls MPI_Session_finalize = 2
// expect: calls MPI_Sendrecv = 2 * 10
// expect: sent MPI_Sendrecv rank 0 = 10 * 4
// expect: received MPI_Sendrecv rank 1 = 10 * 4
// expect: messages MPI_Sendrecv 0 -> 1 = 10
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        int in = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, i, &in, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != 1 - rank;
    }
    MPI_Finalize();
    MPI_Session_finalize(&session);
    if (wrong)
        printf("wrong: %d\n", wrong);
    else if (rank == 0)
        puts("ok");
    return 0;
}
