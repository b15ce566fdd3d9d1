// What programs share that time their own calls and say what they found: "truth: NAME = SECONDS", medians of many.
#ifndef MEASURED_H
#define MEASURED_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The clock is one for all ranks of a host.
static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static inline void compute(double seconds)
{
    double begin = now();
    while (now() - begin < seconds)
        ;
}

static int shorter(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static inline double median(double *times, int count)
{
    qsort(times, count, sizeof *times, shorter);
    return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

static inline void tell(const char *figure, const char *of, double value)
{
    fprintf(stderr, "truth: %s %s = %.9f\n", figure, of, value);
}

#endif
