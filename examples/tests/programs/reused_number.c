// A library other than the program writes inside an MPI call: a few bytes to a socket, then a lot to a file that the program has
// given the socket's number, and then to a socket that has got it back. The argument, closed or replaced, says how the
// program gives numbers away.
// run: -n 1
// plugin: reused_number_part.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FEW = 8, MOST = 1 << 20, MORE = 100000 };

static int number, bytes, wrong;
static long (*write_to)(int, long);

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
    wrong += write_to(number, bytes) != bytes;
    *flag = 0;
    return MPI_SUCCESS;
}

static void write_inside(MPI_Comm comm, int how_many)
{
    MPI_Comm copied;
    bytes = how_many;
    MPI_Comm_dup(comm, &copied);
    MPI_Comm_free(&copied);
}

static void become(const char *way, int other)
{
    if (!strcmp(way, "closed")) {
        close(number);
        wrong += dup(other) != number;
    } else
        wrong += dup2(other, number) != number;
}

int main(int argc, char **argv)
{
    int key, first[2], second[2];
    char path[4096] = {0};
    MPI_Comm comm;
    if (readlink("/proc/self/exe", path, sizeof path - sizeof "reused_number_part.so") < 0)
        return 2;
    strcpy(strrchr(path, '/') + 1, "reused_number_part.so");
    void *plugin = dlopen(path, RTLD_NOW);
    if (!plugin)
        return 3;
    write_to = (long (*)(int, long))dlsym(plugin, "write_to");
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, key, &key);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, first) || socketpair(AF_UNIX, SOCK_STREAM, 0, second))
        return 4;
    FILE *file = tmpfile();
    number = first[0];
    write_inside(comm, FEW);
    become(argv[1], fileno(file));
    write_inside(comm, MOST);
    become(argv[1], second[0]);
    write_inside(comm, MORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    puts(wrong ? "wrong" : "ok");
    return 0;
}
