// The program loses the recorder's descriptor as a daemon does that closes all it has, and opens a result file that gets
// its number. Then it makes so many calls that the trace grows a hundred times over its file, which has to stay as it was.
// run: -n 2 -- (closed | taken | moved) RESULT
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 300000, BYTES = 4 << 20 };

static char pattern[BYTES], found[BYTES];

// The descriptor of the trace, -1 where there is none.
static int of_trace(void)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    char path[4096];
    int number = -1;
    while (number < 0 && (entry = readdir(folder))) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        if (strstr(path, ".ovh"))
            number = atoi(entry->d_name);
    }
    closedir(folder);
    return number;
}

int main(int argc, char **argv)
{
    int rank, number, result;
    char path[4096], name[4096], moved[4096], data[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < BYTES; i++)
        pattern[i] = 1 + i % 251;
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%s-%d", argv[2], rank);
    // The first opened gets the number, unless it lies where nothing is opened.
    number = of_trace();
    if (number >= 0)
        close(number);
    result = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (number >= 0 && strcmp(argv[1], "closed"))
        result = dup2(result, number);
    if (number >= 0 && !strcmp(argv[1], "moved")) {
        snprintf(path, sizeof path, "%s/rank-%04d.ovh", getenv("OVERHEAR_DIR"), rank);
        snprintf(moved, sizeof moved, "%s/old-%d", getenv("OVERHEAR_DIR"), rank);
        rename(path, moved);
    }
    if (write(result, pattern, BYTES) != BYTES || chdir("/"))
        return 3;
    for (int i = 0; i < CALLS; i++)
        MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_SELF);
    if (pread(result, found, BYTES, 0) != BYTES || lseek(result, 0, SEEK_END) != BYTES)
        return 4;
    for (int i = 0; i < BYTES; i++)
        if (found[i] != pattern[i]) {
            printf("rank %d: byte %d was overwritten\n", rank, i);
            break;
        }
    MPI_Finalize();
    if (rank == 0)
        printf("%s\n", number < 0 ? "no trace" : "done");
    return 0;
}
