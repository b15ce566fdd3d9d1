// Each rank looks for a message that ends the work after each small piece of it; the message comes in the end.
// run: -n 2
// finding: polling ranks - at MPI_Iprobe // look
#include "planted_work.h"

enum { PIECES = 200000 };

int main(int argc, char **argv)
{
    int is_there, next, last;
    double value = 0;
    begin(argc, argv);
    next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < 700; i++)
            sink += i * 1e-9;
        if (!twin || piece % 5000 == 0)
            MPI_Iprobe(last, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE); // look
    }
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, next, 0, &value, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return end();
}
