// What the C and C++ programs of this folder share, besides what those of held_out have.
#ifndef UNSEEN_H
#define UNSEEN_H

#include "../held_out/held_out.h"

// Work on the core, some 2 ns per turn. The compiler would leave out most of a computation that nobody looks at.
static inline void spend(long turns)
{
    volatile double result = grind(turns);
    (void)result;
}

#endif
