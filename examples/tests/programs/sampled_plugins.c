// Computes in a function of a library, unloads it, loads another at its place, and computes there; says in milliseconds what each took.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#ifdef PLUGIN

static volatile double sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

double NAME(double seconds) {
    double begin = now(), end = begin;
    while (end - begin < seconds) {
        for (int turn = 0; turn < 20000; turn++)
            sink += turn;
        end = now();
    }
    return end - begin;
}

#else

static double run(const char *folder, const char *name, double seconds) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    void *library = dlopen(path, RTLD_NOW);
    double (*compute)(double) = library ? (double (*)(double))dlsym(library, name) : NULL;
    if (!compute) {
        printf("%s\n", dlerror());
        return 0;
    }
    double taken = compute(seconds);
    dlclose(library);
    return taken;
}

int main(int argc, char **argv) {
    double first = 0, second = 0;
    MPI_Init(&argc, &argv);
    for (int turn = 0; turn < 3 && argc > 1; turn++) {
        first += run(argv[1], "first", 0.3);
        second += run(argv[1], "second", 0.6);
    }
    printf("0 first %.0f\n0 second %.0f\n", 1e3 * first, 1e3 * second);
    MPI_Finalize();
    return 0;
}

#endif
