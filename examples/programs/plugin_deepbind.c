// The library is loaded so that it finds MPI before the recorder: its own scope comes first. Open MPI cannot do with that,
// whose communicators the program has copies of.
// needs: MPI_Send_c
// as: plugin.c
#define SCOPE RTLD_DEEPBIND
#include "plugin.c"
