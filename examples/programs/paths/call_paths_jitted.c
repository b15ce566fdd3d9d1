// Calls MPI below code that is made at run time and says not how to unwind it, as that of some just-in-time compilers.
#include "stated_paths.h"
#include <sys/mman.h>

typedef void function(void);

// Calls the function that its argument points to, in a frame of its own.
#if defined(__x86_64__)
static const unsigned char code[] = {
    0x55,              // push rbp
    0x48, 0x89, 0xe5,  // mov rbp, rsp
    0xff, 0xd7,        // call rdi
    0x5d,              // pop rbp
    0xc3,              // ret
};
#elif defined(__aarch64__)
static const unsigned code[] = {
    0xa9bf7bfd,  // stp x29, x30, [sp, #-16]!
    0x910003fd,  // mov x29, sp
    0xd63f0000,  // blr x0
    0xa8c17bfd,  // ldp x29, x30, [sp], #16
    0xd65f03c0,  // ret
};
#endif

FUNCTION void below(void)
{
    CALL(layer("? > (unknown) > below"));
}

FUNCTION void beside(void)
{
    CALL(layer("main > beside"));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void *page = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || (memcpy(page, code, sizeof code), mprotect(page, sizeof code, PROT_READ | PROT_EXEC)))
        abort();
    __builtin___clear_cache((char *)page, (char *)page + sizeof code);
    void (*jitted)(function *) = (void (*)(function *))page;
    for (int turn = 0; turn < 20; turn++) {
        CALL(jitted(below));
        CALL(beside());
    }
    print_stated();
    MPI_Finalize();
    return 0;
}
