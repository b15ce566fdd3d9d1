// The smoother of rank 1 has a sleep that somebody left in it to look at a race. Three ranks wait for a device else. Cured: it is gone.
#include "held_out.h"

namespace multigrid {

template <typename Number>
class Level {
public:
    explicit Level(int points) : points_(points), values_(new Number[points]()) {}
    ~Level() { delete[] values_; }

    Number smooth(int step)
    {
        for (int i = 0; i < points_; i++)
            values_[i] = static_cast<Number>(step + 1);
        rest(0.004); // the device
        if (rank == 1 && !cured)
            rest(0.006);
        return values_[points_ - 1];
    }

private:
    int points_;
    Number *values_;
};

template <typename Number>
Number residual_of(Number mine)
{
    Number all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // residual
    return all;
}

} // namespace multigrid

int main(int argc, char **argv)
{
    begin(argc, argv);
    multigrid::Level<double> level(2000);
    int correct = 1;
    begin_loop();
    for (int step = 0; step < 200; step++)
        correct &= multigrid::residual_of(level.smooth(step)) == (step + 1.0) * size;
    return end(correct);
}
