// Each rank sends its neighbor messages under as many tags as the first argument says, as often as the second says, and asks
// in vain for one after each. With "unlike", each message has its own number of bytes, too.
// run: -n 2 -- 20000 3 [unlike]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int tags = atoi(argv[1]), times = atoi(argv[2]), unlike = argc > 3;
    char *out = calloc(1, tags + 1), *in = calloc(1, tags + 1);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    long calls = 0, bytes = 0, asked = 0;
    for (int time = 0; time < times; time++)
        for (int tag = 0; tag < tags; tag++) {
            int count = unlike ? tag + 1 : 8 < tags ? 8 : tags;
            MPI_Request request;
            MPI_Isend(out, count, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
            MPI_Recv(in, count, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (int again = 0; again < 3; again++)
                MPI_Iprobe(from, tags + tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            calls += 3;
            asked += 3;
            bytes += count;
        }
    printf("rank %d: calls %ld asked %ld bytes %ld\n", rank, calls, asked, bytes);
    MPI_Finalize();
    return 0;
}
