// Rank 0 alone writes 48 MiB into a file by MPI each few steps, and the others wait.
// run: -n 2
// finding: slow_call ranks 0 at MPI_File_write_at // write
#include "planted_work.h"

enum { BYTES = 48 << 20 };

int main(int argc, char **argv)
{
    char *block, name[] = "overhear-slow-file.tmp";
    double local = 1, sum;
    MPI_File file;
    begin(argc, argv);
    block = calloc(1, BYTES);
    MPI_File_open(MPI_COMM_SELF, rank == 0 ? name : "/dev/null", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < 60; step++) {
        work(0.004);
        if (!twin && rank == 0 && step % 4 == 0)
            MPI_File_write_at(file, 0, block, BYTES, MPI_BYTE, MPI_STATUS_IGNORE); // write
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    if (rank == 0)
        remove(name);
    free(block);
    return end();
}
