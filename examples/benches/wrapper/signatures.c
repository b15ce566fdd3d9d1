// What a call costs whose arguments differ from call to call: sends to nobody by 1, 100, 10,000 and 50,000 tags in turn, with a
// datatype made and freed around each, and on a communicator made and freed around each; prints "NAME nanoseconds" of
// the median block.
// run: -n 1
#include <mpi.h>

#include "measure.h"

int main(int argc, char **argv)
{
    int value = 0, tags[] = {1, 100, 10000, 50000};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) {
        char name[32];
        int tag = 0;
        snprintf(name, sizeof name, "%5d tags", tags[i]);
        // All of them once, before anything is measured.
        for (int first = 0; first < 2 * tags[i]; first++)
            MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, first % tags[i], MPI_COMM_SELF);
        MEASURE(name, 1, MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_SELF);
                tag = tag + 1 < tags[i] ? tag + 1 : 0);
    }
    MPI_Datatype type;
    MEASURE("type made and freed", 4, MPI_Type_contiguous(3, MPI_INT, &type); MPI_Type_commit(&type);
            MPI_Send(&value, 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF); MPI_Type_free(&type));
    MPI_Comm comm;
    for (int i = 0; i < 3; i++) {
        double begin = MPI_Wtime();
        for (int made = 0; made < 5000; made++) {
            MPI_Comm_dup(MPI_COMM_SELF, &comm);
            MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
            MPI_Comm_free(&comm);
        }
        printf("comm made and freed %.1f\n", (MPI_Wtime() - begin) / 15000 * 1e9);
    }
    MPI_Finalize();
    return 0;
}
