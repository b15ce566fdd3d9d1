// Goes to the folder "elsewhere" before it initializes MPI.
// run: -n 1
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (chdir("elsewhere") != 0)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
