// Both ranks write their part of a file, record by record, each with a call of its own. Cured: a call for all records of a step.
#include "unseen.h"

enum { RECORDS = 700, STEPS = 700, LENGTH = 48 };

static char records[RECORDS][LENGTH], back[LENGTH];

static void write_records(MPI_File file, MPI_Offset at)
{
    if (cured) {
        MPI_File_write_at(file, at, records, sizeof records, MPI_BYTE, MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < RECORDS; i++)
        MPI_File_write_at(file, at + i * LENGTH, records[i], LENGTH, MPI_BYTE, MPI_STATUS_IGNORE); // record
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    MPI_File file;
    int correct = 1;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, P_tmpdir "/record_by_record.dat", mode, MPI_INFO_NULL, &file);
    MPI_Offset at = (MPI_Offset)rank * sizeof records;
    begin_loop();
    for (int step = 0; step < STEPS; step++) {
        memset(records, 'a' + step % 26, sizeof records);
        spend(900000);
        write_records(file, at);
        MPI_File_read_at(file, at + (RECORDS - 1) * LENGTH, back, LENGTH, MPI_BYTE, MPI_STATUS_IGNORE);
        correct &= back[LENGTH - 1] == 'a' + step % 26;
        MPI_Barrier(MPI_COMM_WORLD); // step
    }
    MPI_File_close(&file);
    return end(correct);
}
