// A thread holds the loader's lock, as its first argument says, while the main thread makes calls inside MPI_Comm_dup, and waits
// for these to end. If they wait for the lock, an alarm ends the program. All calls have been made before from the same places,
// unless the second argument is "elsewhere".
// run: -n 1
// cflags: -rdynamic
// plugin: loader_lock_part.c
// also: MPI_Comm_create_keyval MPI_Comm_set_attr MPI_Comm_free
// expect: calls MPI_Comm_dup = 11
// expect: nested MPI_Barrier = 10
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sem_t held, done;
static char path[4096];
static int barriers, elsewhere;

// The plugin's constructor calls it.
void hold_until_done(void)
{
    sem_post(&held);
    sem_wait(&done);
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
    hold_until_done();
    return 1;
}

static void *hold(void *by)
{
    if (!strcmp(by, "visit"))
        dl_iterate_phdr(visit, NULL);
    else if (!dlopen(path, RTLD_NOW))
        puts(dlerror());
    return NULL;
}

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
    MPI_Barrier(MPI_COMM_SELF);
    barriers++;
    *flag = 0;
    return MPI_SUCCESS;
}

// Once, so that the calls of each round come from the same places.
__attribute__((noinline)) static void duplicate(MPI_Comm comm)
{
    MPI_Comm copied;
    MPI_Comm_dup(comm, &copied);
    MPI_Comm_free(&copied);
}

__attribute__((noinline)) static void duplicate_elsewhere(MPI_Comm comm)
{
    MPI_Comm other;
    MPI_Comm_dup(comm, &other);
    MPI_Comm_free(&other);
    elsewhere++;
}

int main(int argc, char **argv)
{
    int key;
    MPI_Comm comm;
    pthread_t holder;
    MPI_Init(&argc, &argv);
    if (readlink("/proc/self/exe", path, sizeof path - sizeof "loader_lock_part.so") < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    strcpy(strrchr(path, '/') + 1, "loader_lock_part.so");
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, key, &key);
    for (int round = 0; round < 10; round++) {
        if (round == 5) {
            sem_init(&held, 0, 0);
            sem_init(&done, 0, 0);
            pthread_create(&holder, NULL, hold, argv[1]);
            sem_wait(&held);
            alarm(10);
        }
        if (round >= 5 && argc > 2)
            duplicate_elsewhere(comm);
        else
            duplicate(comm);
    }
    alarm(0);
    sem_post(&done);
    pthread_join(holder, NULL);
    MPI_Comm_free(&comm);
    if (barriers == 10)
        puts("ok");
    MPI_Finalize();
    return 0;
}
