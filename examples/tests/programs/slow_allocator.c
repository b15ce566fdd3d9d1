// One thread loads a library and calls MPI from a new place after it, another forks meanwhile, and the child loads a library, too. The
// allocator is the program's, and takes 300 ms for one allocation of each such call: a first, a second, a third. The child must get to its end
// wherever in the call that is. Prints the calls that took so long.
// run: -n 2
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIBRARIES = 4, ALLOCATIONS = 5, TURNS = ALLOCATIONS * 2, SLOW = 300000, WAIT = 100 };

// The stages of a turn, counted on from turn to turn.
enum { LOADED = 1, IN_ALLOCATOR, CALLED, OVER };

static atomic_int turn, stage, slow_turns, remaining;
static _Thread_local int calls_mpi;

void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
    if (calls_mpi && atomic_load(&remaining) > 0 && atomic_fetch_sub(&remaining, 1) == 1) {
        atomic_fetch_add(&slow_turns, 1);
        atomic_store(&stage, turn * OVER + IN_ALLOCATOR);
        usleep(SLOW);
    }
    return __libc_malloc(size);
}

static char libraries[LIBRARIES][4096];

static void wait_for(int wanted)
{
    while (atomic_load(&stage) < wanted)
        usleep(WAIT);
}

// The child ends by a signal if it does not come to its end.
static int child_fails(int now)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(!dlopen(libraries[(now + 1) % LIBRARIES], RTLD_LAZY));
    }
    return child < 0 || waitpid(child, &status, 0) != child || status;
}

static void *fork_beside_calls(void *bad)
{
    for (int now = 0; now < TURNS; now++) {
        void *library = dlopen(libraries[now % LIBRARIES], RTLD_LAZY);
        atomic_store(&stage, now * OVER + LOADED);
        wait_for(now * OVER + IN_ALLOCATOR);
        *(int *)bad += !library || child_fails(now);
        dlclose(library);
        atomic_store(&stage, now * OVER + OVER);
    }
    return NULL;
}

static void call_from(void (*new_place)(void))
{
    int before = turn * OVER + LOADED;
    wait_for(before);
    atomic_store(&remaining, 1 + turn % ALLOCATIONS);
    new_place();
    atomic_store(&remaining, 0);
    atomic_compare_exchange_strong(&stage, &before, turn * OVER + CALLED);
    wait_for(turn * OVER + OVER);
}

#define PLACE(tag) \
    static void place##tag(void) \
    { \
        int flag; \
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); \
    }
PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7) PLACE(8) PLACE(9)

int main(int argc, char **argv)
{
    static void (*const places[TURNS])(void) = {place0, place1, place2, place3, place4, place5, place6, place7, place8, place9};
    int rank, provided, bad = 0;
    pthread_t other;
    char here[3072] = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (readlink("/proc/self/exe", here, sizeof here - 1) < 0)
        return 1;
    *strrchr(here, '/') = 0;
    for (int i = 0; i < LIBRARIES; i++)
        snprintf(libraries[i], sizeof libraries[i], "%s/loads_libraries_part%d.so", here, i);
    pthread_create(&other, NULL, fork_beside_calls, &bad);
    calls_mpi = 1;
    for (; turn < TURNS; turn++)
        call_from(places[turn]);
    calls_mpi = 0;
    pthread_join(other, NULL);
    if (bad)
        printf("%d of %d forked children did not get to their end\n", bad, TURNS);
    else if (rank == 0)
        printf("ok: %d turns took long\n", slow_turns);
    MPI_Finalize();
    return 0;
}
