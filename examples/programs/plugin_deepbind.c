// The library is loaded so that it finds MPI before the recorder: its own scope comes first. Open MPI cannot do with that,
// whose communicators the program has copies of.
// needs: MPI_Send_c
// run: -n 3
// plugin: plugin_part.c
// filter: all
// expect: calls MPI_Comm_rank = 3 + 3
// expect: calls MPI_Comm_size = 3
// expect: calls MPI_Get_library_version = 3
// expect: calls MPI_Sendrecv = 3 * 10
// expect: sent MPI_Sendrecv rank 2 = 10 * 4
// expect: received MPI_Sendrecv rank 2 = 10 * 4
// expect: messages MPI_Sendrecv 2 -> 0 = 10
// expect: calls MPI_Allreduce = 3
// expect: sent MPI_Allreduce rank 0 = 4
// expect: calls MPI_Reduce = 3
#define SCOPE RTLD_DEEPBIND
#include "plugin.c"
