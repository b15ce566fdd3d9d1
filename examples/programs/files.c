// Writes a file and reads it back: alone, together, and without waiting. What the library calls inside is not counted.
// run: -n 2
// also: MPI_Bcast MPI_File_open MPI_File_close MPI_File_delete MPI_File_set_view MPI_File_sync
// also: MPI_File_set_size MPI_Barrier MPI_Reduce
// expect: calls MPI_File_write_at = 2 * 3
// expect: sent MPI_File_write_at rank 0 = 3 * 100 * 4
// expect: calls MPI_File_write_at_all = 2
// expect: sent MPI_File_write_at_all rank 1 = 50 * 8
// expect: calls MPI_File_read_at = 2 * 3
// expect: received MPI_File_read_at rank 0 = 3 * 100 * 4
// expect: sent MPI_File_read_at = 0
// expect: calls MPI_File_read_at_all = 2
// expect: received MPI_File_read_at_all rank 0 = 50 * 8
// expect: calls MPI_File_iwrite_at = 2
// expect: sent MPI_File_iwrite_at rank 1 = 20 * 4
// expect: calls MPI_File_iread_at = 2
// expect: received MPI_File_iread_at rank 1 = 20 * 4
// expect: calls MPI_File_write = 2
// expect: sent MPI_File_write rank 0 = 10
// expect: calls MPI_File_read = 2
// expect: received MPI_File_read rank 1 = 10
// expect: calls MPI_Wait = 2 * 2
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0, all = 0, out[100], in[100];
    double numbers[50], back[50];
    char name[64], text[11] = "0123456789", read[11] = "";
    MPI_File file;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/overhear-files-%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Offset mine = rank * 4096;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++)
            out[i] = 1000 * rank + 100 * round + i;
        MPI_File_write_at(file, mine + round * sizeof out, out, 100, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at(file, mine + round * sizeof out, in, 100, MPI_INT, MPI_STATUS_IGNORE);
        wrong += memcmp(in, out, sizeof out) != 0;
    }
    for (int i = 0; i < 50; i++)
        numbers[i] = rank + i / 100.0;
    MPI_File_write_at_all(file, 16384 + mine, numbers, 50, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 16384 + mine, back, 50, MPI_DOUBLE, MPI_STATUS_IGNORE);
    wrong += memcmp(back, numbers, sizeof back) != 0;
    MPI_File_iwrite_at(file, 32768 + mine, out, 20, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 32768 + mine, in, 20, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += memcmp(in, out, 20 * sizeof(int)) != 0;
    MPI_File_set_view(file, 65536 + mine, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    MPI_File_write(file, text, 10, MPI_CHAR, MPI_STATUS_IGNORE);
    // Intel's library of the standard ABI has other values for MPI_SEEK_SET than the header.
    MPI_File_set_view(file, 65536 + mine, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    MPI_File_read(file, read, 10, MPI_CHAR, MPI_STATUS_IGNORE);
    wrong += strcmp(text, read) != 0;
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
