// A program without MPI, and what stands in for MPI where it is built to run alone: the one or, with -DSTUBS, the other.
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(int comm, int *rank);

#ifdef STUBS
int MPI_Init(int *argc, char ***argv)
{
    return argc && argv ? 0 : 1;
}

int MPI_Comm_rank(int comm, int *rank)
{
    *rank = 5 + comm;
    return 0;
}
#else
int main(int argc, char **argv)
{
    int rank = 0;
    int code = MPI_Init(&argc, &argv) + MPI_Comm_rank(2, &rank);
    printf("%d, rank %d\n", code, rank);
    return 0;
}
#endif
