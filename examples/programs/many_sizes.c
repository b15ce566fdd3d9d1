// Sends 40,000 messages of 40,000 sizes, more than a thread's dictionary of 32,766 calls has room for. The receiver has
// room for one byte more than comes.
// run: -n 2
// also: MPI_Reduce
// expect: calls MPI_Send = 40000
// expect: calls MPI_Recv = 40000
// expect: sent MPI_Send rank 0 = 20000 * 40001
// expect: sent MPI_Send rank 1 = 0
// expect: received MPI_Recv rank 1 = 20000 * 40001
// expect: messages MPI_Send 0 -> 1 = 40000
// expect: messages MPI_Recv 1 -> 0 = 40000
// expect: failed MPI_Recv = 0
#include <mpi.h>
#include <stdio.h>

enum { LARGEST = 40000 };

static char buffer[LARGEST + 1];

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int size = 1; size <= LARGEST; size++) {
        char mark = size % 101;
        if (rank == 0) {
            buffer[0] = buffer[size - 1] = mark;
            MPI_Send(buffer, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else {
            int count;
            MPI_Status status;
            MPI_Recv(buffer, size + 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &count);
            wrong += count != size || buffer[0] != mark || buffer[size - 1] != mark;
        }
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d messages\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
