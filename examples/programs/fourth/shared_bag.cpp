// Nothing is wrong: ranks of a node draw tasks of uneven lengths from a counter in shared memory, several at a time while there are many left and one
// at a time in the end. They end each round together, and the counter costs little beside the tasks.
#include "../third/third.h"

namespace {

constexpr int kTasks = 400, kRounds = 30;

class Bag {
public:
    Bag()
    {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_);
        MPI_Win_allocate_shared(rank == 0 ? sizeof(int) * kRounds : 0, sizeof(int), MPI_INFO_NULL, node_, &counters_, &window_);
        if (rank == 0)
            for (int r = 0; r < kRounds; ++r)
                counters_[r] = 0;
        MPI_Aint bytes = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &counters_);
        MPI_Barrier(node_);
    }

    ~Bag()
    {
        MPI_Win_free(&window_);
        MPI_Comm_free(&node_);
    }

    // The first of `count` tasks that are the caller's.
    int draw(int round, int count)
    {
        return __atomic_fetch_add(&counters_[round], count, __ATOMIC_RELAXED);
    }

private:
    MPI_Comm node_ = MPI_COMM_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    int *counters_ = nullptr;
};

int do_task(int round, int task)
{
    work_ms(0.03 + 0.001 * (random_of(static_cast<unsigned>(round * kTasks + task)) % 120));
    return 1;
}

int do_round(Bag &bag, int round)
{
    int done = 0, all = 0, count = 16;
    for (int first = bag.draw(round, count); first < kTasks; first = bag.draw(round, count)) {
        for (int task = first; task < first + count && task < kTasks; ++task)
            done += do_task(round, task);
        const int left = kTasks - first - count;
        count = left > 200 ? 16 : left > 60 ? 4 : 1;
    }
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // done
    return all;
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    int done = 0;
    begin_loop();
    {
        Bag bag;
        for (int r = 0; r < kRounds; ++r)
            done += do_round(bag, r);
    }
    return end(done == kRounds * kTasks);
}
