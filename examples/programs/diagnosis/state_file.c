// The last rank writes 8 MiB of state into a file before each sum, and waits until they are on the disk.
// run: -n 2
// finding: late_rank ranks last at MPI_Allreduce // sum
#include "planted_work.h"

#include <fcntl.h>
#include <unistd.h>

enum { BYTES = 8 << 20 };

int main(int argc, char **argv)
{
    char *state, name[] = "overhear-state-file.tmp";
    double error = 1, most;
    int file = -1;
    begin(argc, argv);
    state = calloc(1, BYTES);
    if (!twin && rank == size - 1)
        file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int step = 0; step < 30; step++) {
        work(0.003);
        if (file >= 0 && pwrite(file, state, BYTES, 0) == BYTES)
            fsync(file);
        MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // sum
    }
    if (file >= 0) {
        close(file);
        remove(name);
    }
    free(state);
    return end();
}
