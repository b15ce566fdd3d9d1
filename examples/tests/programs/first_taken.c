// Rank 0 sends messages of three types, each made anew. Rank 1 asks for them by MPI_Mprobe and MPI_Improbe, and receives them by
// MPI_Mrecv and MPI_Imrecv: each type is new to the process when its message is received.
// run: -n 2
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 3 };

static MPI_Datatype ints(int count)
{
    MPI_Datatype type;
    MPI_Type_contiguous(count, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    int rank, data[64] = {0}, found = 0;
    MPI_Comm comm;
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype one = ints(3 + round), other = ints(13 + round);
        if (rank == 0) {
            MPI_Send(data, 1, one, 1, 2 * round, comm);
            MPI_Send(data, 1, other, 1, 2 * round + 1, comm);
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, 2 * round, comm, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(data, 1, one, &message, MPI_STATUS_IGNORE);
            do
                MPI_Improbe(0, MPI_ANY_TAG, comm, &found, &message, MPI_STATUS_IGNORE);
            while (!found);
            MPI_Imrecv(data, 1, other, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&one);
        MPI_Type_free(&other);
    }
    if (rank == 0)
        puts("ok");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
