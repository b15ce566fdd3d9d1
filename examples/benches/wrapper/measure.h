// Measures what stands in a loop: in blocks, and prints the median one.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 50, REPEATS = 20000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define MEASURE(name, calls, ...) MEASURE_TIMES(name, calls, REPEATS, __VA_ARGS__)

#define MEASURE_TIMES(name, calls, repeats, ...)                     \
    do {                                                             \
        double blocks[BLOCKS];                                       \
        for (int block = 0; block < BLOCKS; block++) {               \
            double begin = now();                                    \
            for (int repeat = 0; repeat < (repeats); repeat++) {     \
                __VA_ARGS__;                                         \
            }                                                        \
            blocks[block] = (now() - begin) / ((repeats) * (calls)); \
        }                                                            \
        qsort(blocks, BLOCKS, sizeof *blocks, ascending);            \
        printf("%s %.2f\n", name, blocks[BLOCKS / 2]);               \
    } while (0)
