// A library that is loaded after MPI_Init, and writes.
#include <unistd.h>

long write_part(int file)
{
    return write(file, "1234567", 7); // loaded
}
