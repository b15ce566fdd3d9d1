// 4 ranks form two groups. The first opens a port and accepts, the second connects; each rank then exchanges messages with
// the one opposite over the intercommunicator, and all disconnect.
// run: -n 4
// set: I_MPI_SPAWN=1 UCX_TLS=tcp,self UCX_LOG_LEVEL=error
// cannot: mpich4 (its UCX has no dynamic processes)
// also: MPI_Reduce
// expect: calls MPI_Comm_split = 4
// expect: calls MPI_Open_port = 1
// expect: calls MPI_Close_port = 1
// expect: calls MPI_Send = 1
// expect: sent MPI_Send = 4096
// expect: calls MPI_Recv = 1
// expect: received MPI_Recv = 4096
// expect: messages MPI_Send 0 -> 2 = 1
// expect: calls MPI_Comm_accept = 2
// expect: calls MPI_Comm_connect = 2
// expect: calls MPI_Comm_disconnect = 4
// expect: calls MPI_Comm_free = 4
// expect: calls MPI_Sendrecv = 4 * 10
// expect: sent MPI_Sendrecv rank 1 = 10 * 4
// expect: received MPI_Sendrecv rank 3 = 10 * 4
// expect: messages MPI_Sendrecv 1 -> 1 = 10
// expect: messages MPI_Sendrecv 2 -> 0 = 10
#include <mpi.h>
#include <stdio.h>

// At least MPI_MAX_PORT_NAME of every library.
enum { NAME = 4096 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0;
    char port[NAME] = "";
    MPI_Comm group, opposite;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int accepts = rank < 2, first = rank % 2 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, accepts, rank, &group);
    if (accepts && first) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, NAME, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
    } else if (first) {
        MPI_Recv(port, NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (accepts)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, group, &opposite);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, group, &opposite);
    for (int i = 0; i < 10; i++) {
        int out = i + rank % 2, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, rank % 2, i, &in, 1, MPI_INT, rank % 2, i, opposite, MPI_STATUS_IGNORE);
        wrong += in != out;
    }
    MPI_Comm_disconnect(&opposite);
    if (accepts && first)
        MPI_Close_port(port);
    MPI_Comm_free(&group);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
