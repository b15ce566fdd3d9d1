// A long computation.
#ifndef BUSY_H
#define BUSY_H

#include <mpi.h>
#include <time.h>

static inline void compute(void)
{
    for (time_t end = time(NULL) + 60; time(NULL) < end;)
        ;
}

#endif
