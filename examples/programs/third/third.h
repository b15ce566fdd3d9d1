// What the C and C++ programs of this folder share, besides what those of held_out have.
#ifndef THIRD_H
#define THIRD_H

#include "../held_out/held_out.h"

// Work on the core, where a turn of `grind` takes 1.4 ns.
static inline void work_ms(double milliseconds)
{
    volatile double result = grind((long)(milliseconds * 7e5));
    (void)result;
}

// Work on an accelerator, while the core is free.
static inline void offload_ms(double milliseconds)
{
    rest(milliseconds / 1e3);
}

#endif
