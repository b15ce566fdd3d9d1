// The nonblocking collective operations that the loops of OSU and IMB overlap.
#ifndef NONBLOCKING_H
#define NONBLOCKING_H

#include "loops.h"

static char *out, *in;

static inline void iallreduce(int bytes, MPI_Request *request)
{
    MPI_Iallreduce(out, in, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
}

static inline void ibcast(int bytes, MPI_Request *request)
{
    MPI_Ibcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, request);
}

static inline void ialltoall(int bytes, MPI_Request *request)
{
    MPI_Ialltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD, request);
}

static inline void ibarrier(int bytes, MPI_Request *request)
{
    (void)bytes;
    MPI_Ibarrier(MPI_COMM_WORLD, request);
}

static inline void make_buffers(void)
{
    out = buffer((size_t)most_bytes * ranks);
    in = buffer((size_t)most_bytes * ranks);
}

// Calls the loop for each operation that is wanted and each size.
static inline void for_each(int argc, char **argv, const char *family,
                            void (*loop)(const char *, void (*)(int, MPI_Request *), int))
{
    static const struct {
        const char *name;
        void (*begin)(int, MPI_Request *);
    } operations[] = {{"iallreduce", iallreduce}, {"ibcast", ibcast}, {"ialltoall", ialltoall}, {"ibarrier", ibarrier}};
    for (size_t at = 0; at < sizeof operations / sizeof *operations; at++) {
        char name[40];
        snprintf(name, sizeof name, "%s_%s", family, operations[at].name);
        if (!is_wanted(argc, argv, name))
            continue;
        if (operations[at].begin == ibarrier)
            loop(name, ibarrier, 0);
        else
            for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 4)
                loop(name, operations[at].begin, bytes);
    }
}

#endif
