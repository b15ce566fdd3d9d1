// Training with steps of eight micro-batches, whose gradients are summed over the ranks one micro-batch at a time, though weights change once per
// step. Cured: each rank adds up its gradients of a step, and they are summed over the ranks once.
#include "third.h"
#include <cstddef>
#include <vector>

namespace {

using Tensor = std::vector<double>;

constexpr int kSteps = 60, kMicroBatches = 8;
constexpr std::size_t kWeights = 300000;

class Trainer {
public:
    Trainer() : weights_(kWeights), gradient_(kWeights), step_gradient_(kWeights) {}

    void step(int number)
    {
        step_gradient_.assign(kWeights, 0.0);
        for (int b = 0; b < kMicroBatches; ++b) {
            backward(number * kMicroBatches + b);
            if (!cured)
                sum_over_ranks(gradient_);
            for (std::size_t i = 0; i < kWeights; ++i)
                step_gradient_[i] += gradient_[i];
        }
        if (cured)
            sum_over_ranks(step_gradient_);
        for (std::size_t i = 0; i < kWeights; ++i)
            weights_[i] += step_gradient_[i];
    }

    bool is_right() const
    {
        const int batches = kSteps * kMicroBatches;
        for (std::size_t i = 0; i < kWeights; ++i)
            if (weights_[i] != size * (batches * (batches - 1) / 2 + batches * static_cast<double>(i % 5)) + batches * size * (size - 1) / 2)
                return false;
        return true;
    }

private:
    void backward(int batch)
    {
        for (std::size_t i = 0; i < kWeights; ++i)
            gradient_[i] = batch + rank + static_cast<double>(i % 5);
        work_ms(0.2);
    }

    static void sum_over_ranks(Tensor &tensor)
    {
        MPI_Allreduce(MPI_IN_PLACE, tensor.data(), static_cast<int>(tensor.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // gradients
    }

    Tensor weights_, gradient_, step_gradient_;
};

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    Trainer trainer;
    begin_loop();
    for (int s = 0; s < kSteps; ++s)
        trainer.step(s);
    return end(trainer.is_right());
}
