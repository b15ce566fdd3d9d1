// Rank 1 has room for 10 of the 100 numbers that rank 0 sends: by MPI_Recv, by MPI_Irecv and MPI_Wait, by MPI_Irecv and
// MPI_Waitall with statuses, by MPI_Recv from anyone, by MPI_Mrecv. Each fails with MPI_ERR_TRUNCATE, and the message is gone. A
// message with room for all of it follows.
// run: -n 2
#include <mpi.h>
#include <stdio.h>

static int wrong;

static void expect(int code, int wanted)
{
    int class;
    MPI_Error_class(code, &class);
    wrong += class != wanted;
}

int main(int argc, char **argv)
{
    int rank, data[100] = {0};
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int i = 0; i < 6; i++)
            MPI_Send(data, 100, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        expect(MPI_Recv(data, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        MPI_Irecv(data, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        MPI_Irecv(data, 10, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        expect(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
        expect(status.MPI_ERROR, MPI_ERR_TRUNCATE);
        expect(MPI_Recv(data, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        expect(MPI_Mrecv(data, 10, MPI_INT, &message, &status), MPI_ERR_TRUNCATE);
        expect(MPI_Recv(data, 100, MPI_INT, 0, 3, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        puts(wrong ? "wrong" : "ok");
    }
    MPI_Finalize();
    return 0;
}
