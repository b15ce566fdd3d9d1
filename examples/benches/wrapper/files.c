// What accesses to a file cost: reads and writes of 4 KiB that the system has in memory, of one line and of two in turn, each opening
// and closing, and what the next call of MPI costs behind an access.
// run: -n 1
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include "measure.h"

enum { ACCESSES = 2000, BYTES = 4096 };

static char piece[BYTES];
static int file;
static ssize_t done;

__attribute__((noinline)) static void write_piece(void)
{
    done += pwrite(file, piece, BYTES, 0);
    __asm__ volatile("");
}

__attribute__((noinline)) static void read_piece(void)
{
    done += pread(file, piece, BYTES, 0);
    __asm__ volatile("");
}

__attribute__((noinline)) static void open_and_close(const char *path)
{
    close(open(path, O_RDONLY));
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/overhear-bench-XXXXXX";
    int flag;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    file = mkstemp(path);
    write_piece();
    MEASURE_TIMES("write 4 KiB", 1, ACCESSES, write_piece());
    MEASURE_TIMES("read 4 KiB", 1, ACCESSES, read_piece());
    MEASURE_TIMES("read and write in turn", 2, ACCESSES, read_piece(); write_piece());
    MEASURE_TIMES("open and close", 1, ACCESSES, open_and_close(path));
    MEASURE_TIMES("MPI_Test", 1, ACCESSES, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    MEASURE_TIMES("read, and MPI_Test", 1, ACCESSES, read_piece(); MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    remove(path);
    MPI_Finalize();
    return done < 0;
}
