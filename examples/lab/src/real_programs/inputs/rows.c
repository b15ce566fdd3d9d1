// Each rank writes its rows of a table into one HDF5 file, in one collective call, and reads those of the next rank.
#include <hdf5.h>
#include <stdio.h>

enum { ROWS = 200, COLUMNS = 300 };

int main(int argc, char **argv) {
    static int mine[ROWS][COLUMNS], theirs[ROWS][COLUMNS];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            mine[row][column] = (rank * ROWS + row) * COLUMNS + column;

    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    H5Pset_obj_track_times(made, 0);
    hid_t file = H5Fcreate("rows.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hsize_t whole[2] = {(hsize_t)ranks * ROWS, COLUMNS}, part[2] = {ROWS, COLUMNS}, from[2] = {(hsize_t)rank * ROWS, 0};
    hid_t table = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, part, NULL);
    hid_t data = H5Dcreate(file, "rows", H5T_NATIVE_INT, table, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Sselect_hyperslab(table, H5S_SELECT_SET, from, NULL, part, NULL);
    H5Dwrite(data, H5T_NATIVE_INT, memory, table, transfer, mine);
    from[0] = (hsize_t)((rank + 1) % ranks) * ROWS;
    H5Sselect_hyperslab(table, H5S_SELECT_SET, from, NULL, part, NULL);
    H5Dread(data, H5T_NATIVE_INT, memory, table, transfer, theirs);
    H5Sclose(memory), H5Sclose(table), H5Dclose(data), H5Fclose(file);
    H5Pclose(made), H5Pclose(transfer), H5Pclose(access);

    int right = theirs[0][0] == (int)from[0] * COLUMNS && theirs[ROWS - 1][1] - theirs[0][1] == (ROWS - 1) * COLUMNS, all;
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d rows written, the next rank's read: %s\n", ranks * ROWS, all ? "right" : "wrong");
    MPI_Finalize();
    return !all;
}
