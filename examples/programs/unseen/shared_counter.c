// Ranks draw tasks from a shared counter, one at a time, though a task takes a microsecond. Cured: they draw 64 at a time.
#include "unseen.h"

static const long TASKS = 900000;

static long evaluate(long task)
{
    spend(250);
    return task % 7;
}

// The next tasks that nobody has drawn.
static long draw(MPI_Win counter, long how_many)
{
    long first;
    MPI_Fetch_and_op(&how_many, &first, MPI_LONG, 0, 0, MPI_SUM, counter); // draw
    MPI_Win_flush(0, counter); // drawn
    return first;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    long *value, sum = 0, all, expected = 0;
    const long grain = cured ? 64 : 1;
    MPI_Win counter;
    MPI_Win_allocate(sizeof *value, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, &value, &counter);
    *value = 0;
    begin_loop();
    MPI_Win_lock_all(0, counter);
    for (long first; (first = draw(counter, grain)) < TASKS;)
        for (long task = first; task < first + grain && task < TASKS; task++)
            sum += evaluate(task);
    MPI_Win_unlock_all(counter);
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (long task = 0; task < TASKS; task++)
        expected += task % 7;
    MPI_Win_free(&counter);
    return end(all == expected);
}
