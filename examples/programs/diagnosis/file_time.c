// Each rank writes its state into a file of its own before every sum, in parts that it waits for until they are on the disk.
// run: -n 2
// finding: file_time ranks - at fdatasync // part is on the disk
#include "planted_work.h"

#include <fcntl.h>
#include <unistd.h>

enum { PARTS = 8, BYTES = 256 << 10 };

int main(int argc, char **argv)
{
    static char state[BYTES];
    char name[64];
    double error = 1, most;
    begin(argc, argv);
    snprintf(name, sizeof name, "overhear-file-time.%d.tmp", rank);
    int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int step = 0; step < 40; step++) {
        work(0.004);
        for (int part = 0; !twin && part < PARTS; part++) {
            if (pwrite(file, state, BYTES, (off_t)part * BYTES) != BYTES)
                return 3;
            fdatasync(file); // part is on the disk
        }
        MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    close(file);
    remove(name);
    return end();
}
