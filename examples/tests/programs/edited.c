// A small program that tests edit as people edit theirs, and compare with what it was.
//
// In each step rank 0 hands cells out, all exchange them in a ring, and two sums follow, of 8 and of 16 bytes.
#include <mpi.h>

enum { CELLS = 256, STEPS = 20 };
static int rank, size;
static double cells[CELLS], halo[CELLS];

static void spread(int count) {
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            MPI_Send(cells, count, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(cells, count, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void exchange(int count) {
    MPI_Request requests[2];
    MPI_Irecv(halo, count, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(cells, count, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double norm(int step) {
    double own[2] = {1.0 + step, 2.0}, all[2];
    MPI_Allreduce(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] + all[1];
}

static void finish(double sum) {
    double all = 0;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        spread(64);
        exchange(128);
        sum += norm(step);
    }
    finish(sum);
    MPI_Finalize();
    return 0;
}
