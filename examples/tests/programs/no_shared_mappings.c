// A file system without shared mappings, for a process that this is preloaded into beside the recorder.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);
    char link[64], path[512];
    if (!real)
        real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = flags & MAP_SHARED ? readlink(link, path, sizeof path - 1) : -1;
    if (n > 0 && (path[n] = 0, strstr(path, ".ovh"))) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return real(at, length, protection, flags, file, offset);
}
