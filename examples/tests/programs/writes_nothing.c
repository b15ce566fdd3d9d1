// A library to preload: from the 40th on, writes to a file at an offset write nothing, and leave errno as an earlier failure left
// it. Network file systems do this.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    static int times;
    if (__atomic_add_fetch(&times, 1, __ATOMIC_RELAXED) < 40)
        return syscall(SYS_pwrite64, file, bytes, count, at);
    errno = EFBIG;
    return 0;
}
