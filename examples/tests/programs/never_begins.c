// Rank 1 kills itself before MPI_Init, once another rank has a file in the folder that the argument names: that one waits in
// MPI_Init for it.
// run: -n 2 -- FOLDER
#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begins(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    int found = 0;
    while (entries && (entry = readdir(entries)))
        found |= !strncmp(entry->d_name, "starting-", 9);
    if (entries)
        closedir(entries);
    return found;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
    if (rank && !strcmp(rank, "1")) {
        while (!begins(argv[1]))
            usleep(10000);
        // The other one comes to where it waits, even on a busy machine.
        usleep(200000);
        kill(getpid(), SIGKILL);
    }
    // Intel's launcher does not end it.
    alarm(5);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
