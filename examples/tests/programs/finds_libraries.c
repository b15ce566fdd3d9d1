// Libraries that the program finds only because the loader knows who loads them: by the program's RUNPATH, by $ORIGIN, by another
// library's RUNPATH, and in a namespace of their own. Prints where each is.
// run: -n 1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void say(const char *how, void *library)
{
    struct link_map *map = NULL;
    Lmid_t space = 0;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) || dlinfo(library, RTLD_DI_LMID, &space))
        printf("%s: not found\n", how);
    else
        printf("%s: %s%s\n", how, strrchr(map->l_name, '/') + 1, space == LM_ID_BASE ? "" : ", elsewhere");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    say("by the program's RUNPATH", dlopen("finds_libraries_first.so", RTLD_NOW));
    say("by $ORIGIN", dlopen("$ORIGIN/finds_libraries/finds_libraries_second.so", RTLD_NOW));
    void *first = dlopen("finds_libraries_first.so", RTLD_NOW | RTLD_NOLOAD);
    void *(*load)(const char *) = first ? (void *(*)(const char *))dlsym(first, "load") : NULL;
    say("by another library's RUNPATH", load ? load("finds_libraries_third.so") : NULL);
    say("by the wrong RUNPATH", dlopen("finds_libraries_fourth.so", RTLD_NOW));
    void *other = dlmopen(LM_ID_NEWLM, "finds_libraries_first.so", RTLD_NOW);
    say("in a namespace", other);
    load = other ? (void *(*)(const char *))dlsym(other, "load") : NULL;
    say("from a namespace", load ? load("finds_libraries_third.so") : NULL);
    MPI_Finalize();
    return 0;
}
