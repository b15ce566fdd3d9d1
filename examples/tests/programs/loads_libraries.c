// One thread calls MPI from 6,000 places, with pauses between some, while two others load and unload libraries: four small ones
// beside the program, which call MPI, and four of the system's, which bring further ones. With the argument "forks" it is one
// other thread, which forks each time: the child loads a library, too, and must get to its end. Prints the calls that rank 0 has made.
// run: -n 2
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 4, SYSTEM = 4, PAUSE = 500 };

static const char *const system_libraries[] = {"libxml2.so.2", "libgfortran.so.5", "libcurl.so.4", "libglib-2.0.so.0",
    "libsqlite3.so.0", "libstdc++.so.6", "libssl.so.3", "libz.so.1", "libm.so.6", "libresolv.so.2", "libutil.so.1"};

static char libraries[SMALL + SYSTEM][4096];
static int count;
static atomic_int over;
static atomic_long loaded, asked, probed;

static void find_libraries(void)
{
    char here[3072] = {0};
    if (readlink("/proc/self/exe", here, sizeof here - 1) < 0)
        return;
    *strrchr(here, '/') = 0;
    for (; count < SMALL; count++)
        snprintf(libraries[count], sizeof libraries[count], "%s/loads_libraries_part%d.so", here, count);
    for (size_t i = 0; i < sizeof system_libraries / sizeof *system_libraries && count < SMALL + SYSTEM; i++) {
        void *library = dlopen(system_libraries[i], RTLD_LAZY);
        if (!library)
            continue;
        strcpy(libraries[count++], system_libraries[i]);
        dlclose(library);
    }
}

static int forks;

// The child ends by a signal if it does not come to its end.
static int child_fails(unsigned long turn)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(!dlopen(libraries[(turn + 1) % SMALL], RTLD_LAZY));
    }
    return child < 0 || waitpid(child, &status, 0) != child || status;
}

static void *load(void *first)
{
    for (unsigned long turn = (unsigned long)first; !atomic_load(&over); turn++) {
        void *library = dlopen(libraries[turn % count], RTLD_LAZY);
        if (!library) {
            puts(dlerror());
            return NULL;
        }
        if (forks && child_fails(turn)) {
            puts("a forked child did not get to its end");
            return NULL;
        }
        // Every other time nobody looks anything up in what was loaded.
        int (*ask)(void) = turn / count % 2 ? (int (*)(void))dlsym(library, "ask") : NULL;
        if (ask)
            atomic_fetch_add(&asked, ask());
        dlclose(library);
        atomic_fetch_add(&loaded, 1);
    }
    return &over;
}

#define PROBE(more) \
    { \
        int flag; \
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); \
        atomic_fetch_add_explicit(&probed, 1, memory_order_relaxed); \
        more; \
    }
#define TEN(what) what what what what what what what what what what
#define THIRTY PROBE(usleep(PAUSE)) PROBE(usleep(PAUSE)) TEN(PROBE()) TEN(PROBE()) PROBE() PROBE() PROBE() PROBE() PROBE() PROBE() PROBE() PROBE()
#define THREE_HUNDRED TEN(THIRTY)

__attribute__((noinline)) static void probe_a_thousand_times(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }
__attribute__((noinline)) static void probe_again(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }
__attribute__((noinline)) static void probe_a_third_time(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }
__attribute__((noinline)) static void probe_a_fourth_time(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }
__attribute__((noinline)) static void probe_a_fifth_time(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }
__attribute__((noinline)) static void probe_a_last_time(void) { THREE_HUNDRED THREE_HUNDRED THREE_HUNDRED TEN(TEN(PROBE())) }

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t loaders[2];
    void *ended;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find_libraries();
    forks = argc > 1;
    int threads = forks ? 1 : 2;
    for (long i = 0; i < threads; i++)
        pthread_create(&loaders[i], NULL, load, (void *)(i * 3));
    probe_a_thousand_times();
    probe_again();
    probe_a_third_time();
    probe_a_fourth_time();
    probe_a_fifth_time();
    probe_a_last_time();
    atomic_store(&over, 1);
    int good = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(loaders[i], &ended);
        good += ended != NULL;
    }
    if (rank == 0 && good == threads)
        printf("ok: %ld probed, %ld asked, %ld loaded of %d\n", probed, asked, loaded, count);
    MPI_Finalize();
    return 0;
}
