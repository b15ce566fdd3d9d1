// Rank 0 hands out small items, and works on large ones meanwhile. It looks for who is out of work between two items of its own, so that rank 1 waits
// for the end of an item each time. Cured: it looks several times during an item.
#include "third.h"
#include <deque>
#include <numeric>

namespace {

enum Tag { kAsk = 1, kItem };
constexpr int kLarge = 70, kSmall = 380, kStop = -1, kLooksPerItem = 50;
constexpr double kLargeMs = 6, kSmallMs = 1;

long value_of(int item)
{
    return static_cast<long>(random_of(static_cast<unsigned>(item)) % 1000);
}

class Master {
public:
    Master() : small_(kSmall) { std::iota(small_.begin(), small_.end(), kLarge); }

    long work()
    {
        long sum = 0;
        for (int item = 0; item < kLarge; ++item) {
            serve_who_asks();
            examine(item);
            sum += value_of(item);
        }
        while (!stopped_)
            serve();
        return sum;
    }

private:
    void examine(int)
    {
        for (int look = 0; look < kLooksPerItem; ++look) {
            work_ms(kLargeMs / kLooksPerItem);
            if (cured)
                serve_who_asks();
        }
    }

    void serve_who_asks()
    {
        int asks = 0;
        MPI_Iprobe(1, kAsk, MPI_COMM_WORLD, &asks, MPI_STATUS_IGNORE); // does anybody ask
        if (asks && !stopped_)
            serve();
    }

    void serve()
    {
        int item = kStop;
        if (!small_.empty()) {
            item = small_.front();
            small_.pop_front();
        }
        stopped_ = item == kStop;
        MPI_Recv(nullptr, 0, MPI_INT, 1, kAsk, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // the question
        MPI_Send(&item, 1, MPI_INT, 1, kItem, MPI_COMM_WORLD); // hand out
    }

    std::deque<int> small_;
    bool stopped_ = false;
};

long work_for_master()
{
    for (long sum = 0;;) {
        int item;
        MPI_Send(nullptr, 0, MPI_INT, 0, kAsk, MPI_COMM_WORLD); // out of work
        MPI_Recv(&item, 1, MPI_INT, 0, kItem, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // next item
        if (item == kStop)
            return sum;
        work_ms(kSmallMs);
        sum += value_of(item);
    }
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    begin_loop();
    long sum = rank == 0 ? Master().work() : work_for_master(), all, expected = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); // all values
    for (int item = 0; item < kLarge + kSmall; ++item)
        expected += value_of(item);
    return end(all == expected);
}
