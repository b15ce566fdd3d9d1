// What the program in Rust cannot know: how this MPI writes its handles.
#include <mpi.h>
#include <stdint.h>

struct words {
    uintptr_t world, real, sum;
};

struct words words_of_mpi(void)
{
    return (struct words){(uintptr_t)MPI_COMM_WORLD, (uintptr_t)MPI_DOUBLE, (uintptr_t)MPI_SUM};
}
