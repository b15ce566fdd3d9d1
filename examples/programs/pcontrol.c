// Calls MPI_Pcontrol, which takes any number of arguments of any type, with none more than it needs and with many; none of the
// levels takes anything out of the figures.
// run: -n 2
// also: MPI_Reduce
// expect: calls MPI_Pcontrol = 2 * 10 * 5
// expect: calls MPI_Pcontrol rank 1 = 10 * 5
// expect: failed MPI_Pcontrol = 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        double x = i + 0.5;
        wrong += MPI_Pcontrol(1) != MPI_SUCCESS;
        wrong += MPI_Pcontrol(4, x) != MPI_SUCCESS;
        wrong += MPI_Pcontrol(-2, "phase", i, 3L, &x) != MPI_SUCCESS;
        wrong += MPI_Pcontrol(-1, x, "a", 2 * x, 'b', 3 * x, 4ULL, 4 * x, 5 * x, 6 * x, 7 * x, 8 * x, 9 * x, 10 * x) !=
                 MPI_SUCCESS;
        wrong += MPI_Pcontrol(3, 1, 2, 3, 4, 5, 6, 7, 8, 9, (long double)x, 11.0f) != MPI_SUCCESS;
        wrong += x != i + 0.5;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d calls\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
