// A program that knows nothing of MPI loads a library beside it, all of whose communication is in Fortran.
// run: -n 2
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char path[4096] = {0};
    if (readlink("/proc/self/exe", path, sizeof path - sizeof "late_fortran_part.so") < 0)
        return 1;
    strcpy(strrchr(path, '/') + 1, "late_fortran_part.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void (*communicate)(void) = library ? (void (*)(void))dlsym(library, "communicate_") : NULL;
    if (!communicate) {
        puts(dlerror());
        return 1;
    }
    communicate();
    return 0;
}
