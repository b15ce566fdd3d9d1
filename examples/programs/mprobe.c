// Looks for messages, and receives what was found. Rank 1 waits 100 ms in MPI_Mprobe until rank 0 sends, and has nothing
// to wait for in the MPI_Mrecv after it; the messages are short ones and long ones by turns. Then it asks by MPI_Improbe,
// sleeps in between, and waits for nothing.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Improbe
// expect: calls MPI_Send rank 0 = 2 * 4
// expect: calls MPI_Mprobe rank 1 = 4
// expect: calls MPI_Mrecv rank 1 = 4
// expect: received MPI_Mrecv rank 1 = 2 * 8 + 2 * 1048576
// expect: calls MPI_Imrecv rank 1 = 4
// expect: calls MPI_Wait rank 1 = 4
// expect: wait late_sender rank 1 = 4 * 0.1 at MPI_Mprobe // looks <- rank 0 MPI_Send // sends
#include "planted.h"

enum { ROUNDS = 4, LONG = 1 << 20 };

static char data[LONG];

int main(int argc, char **argv)
{
    int rank, found;
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        int bytes = round % 2 ? LONG : 8;
        start_together();
        if (rank == 0) {
            be_late(0.1);
            note("sends");
            MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD); // sends
        } else {
            note("looks");
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); // looks
            MPI_Mrecv(data, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        }
        start_together();
        if (rank == 0) {
            be_late(0.02);
            MPI_Send(data, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        } else {
            while (MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE), !found)
                be_late(0.001);
            MPI_Imrecv(data, 4, MPI_BYTE, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    gather_notes();
    tell("late_sender", 1, "looks", 0, "sends");
    if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
