// Two user-level threads of one thread of the system, which take turns on stacks of their own.
#include <stdlib.h>
#include <ucontext.h>

enum { FIBERS = 2, STACK = 1 << 18 };

static ucontext_t scheduler, fibers[FIBERS];
static int current, ended[FIBERS];
static void (*body)(int which);

// Hands over to the other fiber, unless that has ended.
static void yield(void)
{
    int from = current, to = 1 - current;
    if (ended[to])
        return;
    current = to;
    swapcontext(&fibers[from], &fibers[to]);
}

static void begin(int which)
{
    body(which);
    ended[which] = 1;
    if (ended[1 - which])
        setcontext(&scheduler);
    current = 1 - which;
    setcontext(&fibers[current]);
}

// Runs both until they have ended.
static void run_fibers(void (*function)(int which))
{
    body = function;
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = malloc(STACK);
        fibers[i].uc_stack.ss_size = STACK;
        makecontext(&fibers[i], (void (*)(void))begin, 1, i);
    }
    current = 0;
    swapcontext(&scheduler, &fibers[0]);
    for (int i = 0; i < FIBERS; i++)
        free(fibers[i].uc_stack.ss_sp);
}
