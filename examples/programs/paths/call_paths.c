// Calls MPI by many paths: a layer with five callers in turn, recursion, frames of changing size, other stacks, small stacks, signals,
// and libraries of which one takes the place of another.
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "stated_paths.h"

#define CALLER(name)                        \
    FUNCTION void name(void)                \
    {                                       \
        CALL(layer("main > turns > " #name)); \
    }
CALLER(solver)
CALLER(check)
CALLER(checkpoint)
CALLER(norm)
CALLER(residual)

FUNCTION void turns(void)
{
    void (*const callers[5])(void) = {solver, check, checkpoint, norm, residual};
    for (int turn = 0; turn < 500; turn++)
        CALL(callers[turn % 5]());
}

// The text of a path with so many times the same function.
FUNCTION const char *below(char *text, const char *path, int levels, const char *function)
{
    strcpy(text, path);
    for (int level = 0; level < levels; level++) {
        strcat(text, " > ");
        strcat(text, function);
    }
    return text;
}

FUNCTION void descend(int levels, const char *path)
{
    if (levels > 1)
        CALL(descend(levels - 1, path));
    else
        CALL(layer(path));
}

FUNCTION void recursion(void)
{
    char text[MOST_TEXT];
    for (int levels = 1; levels <= 100; levels *= 3)
        for (int times = 0; times < 3; times++)
            CALL(descend(levels, below(text, "main > recursion", levels, "descend")));
}

FUNCTION void changing(int bytes)
{
    volatile char *room = (volatile char *)alloca(bytes);
    room[0] = 1;
    CALL(layer("main > changes > changing"));
    room[0] = 2;
}

FUNCTION void changes(void)
{
    for (int turn = 0; turn < 60; turn++)
        CALL(changing(64 + turn % 7 * 400));
}

static ucontext_t of_main, of_fiber;

static void fiber(void)
{
    for (int turn = 0; turn < 20; turn++) {
        CALL(layer("fiber"));
        CALL(swapcontext(&of_fiber, &of_main));
    }
}

FUNCTION void resume(void)
{
    CALL(layer("main > stacks > resume"));
    CALL(swapcontext(&of_main, &of_fiber));
}

FUNCTION void stacks(void)
{
    enum { STACK = 256 << 10 };
    getcontext(&of_fiber);
    of_fiber.uc_stack.ss_sp = malloc(STACK);
    of_fiber.uc_stack.ss_size = STACK;
    of_fiber.uc_link = &of_main;
    makecontext(&of_fiber, fiber, 0);
    for (int turn = 0; turn < 20; turn++)
        CALL(resume());
}

FUNCTION void ask(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int flag;
    state("on_thread > ask", "MPI_Wait");
    state("on_thread > ask", "MPI_Test");
    CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void *on_thread(void *nothing)
{
    for (int turn = 0; turn < 10; turn++)
        CALL(ask());
    return nothing;
}

FUNCTION void threads(int bytes)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    for (int times = 0; times < 4; times++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, on_thread, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
}

// What a signal interrupts has not called its handler.
static void on_signal(int number)
{
    (void)number;
    CALL(layer("on_signal"));
}

FUNCTION void interrupted(int levels)
{
    if (levels > 0)
        CALL(interrupted(levels - 1));
    else
        CALL(raise(SIGUSR1));
}

// Loads a library, has it call the layer from a function of its own, and unloads it.
FUNCTION void load(const char *folder, const char *name)
{
    char text[MOST_TEXT];
    snprintf(text, sizeof text, "%s/%s.so", folder, name);
    void *library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    void (*enter)(void (*)(const char *), const char *);
    *(void **)&enter = dlsym(library, name);
    snprintf(text, sizeof text, "main > load > %s", name);
    CALL(enter(layer, text));
    dlclose(library);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    turns();
    recursion();
    changes();
    stacks();
    if (provided == MPI_THREAD_MULTIPLE)
        threads(16 << 10);
    signal(SIGUSR1, on_signal);
    for (int levels = 0; levels < 5; levels++)
        interrupted(levels);
    for (int turn = 0; turn < 6; turn++) {
        load(argv[1], "alpha");
        load(argv[1], "omega");
    }
    print_stated();
    MPI_Finalize();
    return 0;
}
