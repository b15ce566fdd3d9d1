// A master looks up each task in a slow service before it hands it out, and its worker waits for it. Cured: it looks up
// twenty tasks at a time, which takes the service no longer than one.
#include "held_out.h"

enum { TASKS = 600, AT_ONCE = 20 };

static int answers[TASKS];

static int looked_up;

// Asks the service for one more task, or for several.
static int look_up(int task)
{
    if (task >= looked_up) {
        rest(0.0015);
        looked_up += cured ? AT_ONCE : 1;
    }
    return task * 7;
}

static void serve(void)
{
    int result[2];
    MPI_Status status;
    for (int task = 0, stopped = 0; stopped < size - 1;) {
        MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (result[0] >= 0)
            answers[result[0]] = result[1];
        int next[2] = {-1, 0};
        if (task < TASKS) {
            next[0] = task;
            next[1] = look_up(task);
            task++;
        } else
            stopped++;
        MPI_Send(next, 2, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD); // hand out
    }
}

static void work(void)
{
    int next[2], result[2] = {-1, 0};
    for (;;) {
        MPI_Send(result, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(next, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // next task
        if (next[0] < 0)
            return;
        rest(0.001);
        result[0] = next[0];
        result[1] = next[1] + 1;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    if (rank == 0)
        serve();
    else
        work();
    int correct = 1;
    for (int task = 0; rank == 0 && task < TASKS; task++)
        correct &= answers[task] == task * 7 + 1;
    return end(correct);
}
