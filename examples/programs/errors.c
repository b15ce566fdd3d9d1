// Calls that MPI refuses, among good ones: a rank that does not exist, a negative count and tag, null handles, a root
// that does not exist, messages longer than the buffer. The program gets the errors back and looks at their classes.
// run: -n 2
// also: MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Barrier MPI_Reduce
// expect: calls MPI_Send = 10 + 5 + 6
// expect: failed MPI_Send rank 0 = 5
// expect: failed MPI_Send rank 1 = 0
// expect: sent MPI_Send rank 0 = 10 * 8 + 4 * 100 + 2 * 5
// expect: messages MPI_Send 0 -> 1 = 10 + 4 + 6
// expect: messages MPI_Send 0 -> 2 = 1
// expect: calls MPI_Recv rank 1 = 10 + 1
// expect: failed MPI_Recv rank 1 = 1
// expect: messages MPI_Recv 1 -> 0 = 10 + 1
// expect: calls MPI_Irecv rank 1 = 1 + 2
// expect: failed MPI_Irecv = 0
// expect: calls MPI_Wait = 1
// expect: failed MPI_Wait rank 1 = 1
// expect: calls MPI_Waitall = 1
// expect: calls MPI_Bcast = 2
// expect: failed MPI_Bcast rank 0 = 1
// expect: failed MPI_Bcast rank 1 = 1
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong;
static char bytes[100];

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void expect(int code, int class)
{
    wrong += class_of(code) != class;
}

static void ignore(MPI_Comm *comm, int *code, ...)
{
}

// Intel's library of the standard ABI aborts in spite of MPI_ERRORS_RETURN, and takes a handler of the program's own.
// MPICH's returns no error then.
static MPI_Errhandler error_handler(void)
{
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    if (strstr(version, "Intel"))
        MPI_Comm_create_errhandler(ignore, &handler);
    return handler;
}

static void send_all(void)
{
    for (int tag = 0; tag < 10; tag++)
        expect(MPI_Send(bytes, 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD), MPI_SUCCESS);
    expect(MPI_Send(bytes, 8, MPI_BYTE, 2, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    expect(MPI_Send(bytes, -1, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    expect(MPI_Send(bytes, 8, MPI_BYTE, 1, -100, MPI_COMM_WORLD), MPI_ERR_TAG);
    expect(MPI_Send(bytes, 8, MPI_DATATYPE_NULL, 1, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    expect(MPI_Send(bytes, 8, MPI_BYTE, 1, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    for (int tag = 20; tag < 22; tag++)
        expect(MPI_Send(bytes, 100, MPI_BYTE, 1, tag, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        expect(MPI_Send(bytes, 100, MPI_BYTE, 1, 30, MPI_COMM_WORLD), MPI_SUCCESS);
        expect(MPI_Send(bytes, 5, MPI_BYTE, 1, 31, MPI_COMM_WORLD), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Waits for two requests of which the first fails. What the libraries do then differs: the class of what is returned,
// and which requests are left.
static int wait_for_two(int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),
                        int (*wait)(int, MPI_Request *, MPI_Status *))
{
    MPI_Request requests[2];
    receive(bytes, 10, MPI_BYTE, 0, 30, MPI_COMM_WORLD, &requests[0]);
    receive(bytes + 10, 10, MPI_BYTE, 0, 31, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    int class = class_of(wait(2, requests, MPI_STATUSES_IGNORE));
    int left = (requests[0] != MPI_REQUEST_NULL) + 2 * (requests[1] != MPI_REQUEST_NULL);
    PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return 4 * class + left;
}

static void receive_all(void)
{
    MPI_Request request;
    for (int tag = 0; tag < 10; tag++)
        expect(MPI_Recv(bytes, 100, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect(MPI_Recv(bytes, 10, MPI_BYTE, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Irecv(bytes, 10, MPI_BYTE, 0, 21, MPI_COMM_WORLD, &request);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    // The recorder must not change that; what has the profiling names it does not see.
    int recorded = wait_for_two(MPI_Irecv, MPI_Waitall);
    wrong += recorded != wait_for_two(PMPI_Irecv, PMPI_Waitall);
}

int main(int argc, char **argv)
{
    int rank, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler handler = error_handler();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    // Where there is no communicator, MPI 4 raises the error on this one.
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    if (rank == 0)
        send_all();
    else
        receive_all();
    expect(MPI_Bcast(bytes, 8, MPI_BYTE, 2, MPI_COMM_WORLD), MPI_ERR_ROOT);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d calls\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
