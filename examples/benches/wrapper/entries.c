// What an entry into Open MPI's progress engine costs: a million of them, in blocks, inside no MPI call; prints
// "NAME nanoseconds" of the median block. The engine has only its own process to look after.
// run: -n 1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "measure.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int (*progress)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "opal_progress");
    if (progress)
        MEASURE("opal_progress", 1, progress());
    MPI_Finalize();
    return 0;
}
