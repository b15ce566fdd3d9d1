// Blocks of an adaptive mesh are cut into parts again in every second step, and the partitioner numbers its parts as it likes: mostly the same two parts,
// with their numbers swapped, so that all blocks move. Cured: parts get the number of the rank that has most of their blocks.
#include "../third/third.h"
#include <algorithm>
#include <numeric>
#include <vector>

namespace {

constexpr int kBlocks = 32, kCells = 40000, kSteps = 250, kEvery = 2;

using Owners = std::vector<int>;

// Cuts a line of blocks in the middle; where it begins to count is the partitioner's choice.
Owners partition(int time)
{
    Owners owners(kBlocks);
    for (int b = 0; b < kBlocks; ++b)
        owners[b] = (b / (kBlocks / 2) + time) % 2;
    return owners;
}

Owners relabel(const Owners &now, Owners wanted)
{
    int stay = 0;
    for (int b = 0; b < kBlocks; ++b)
        stay += now[b] == wanted[b];
    if (stay < kBlocks / 2)
        for (int &owner : wanted)
            owner = 1 - owner;
    return wanted;
}

class Mesh {
public:
    Mesh() : owners_(partition(0)), blocks_(kBlocks)
    {
        for (int b = 0; b < kBlocks; ++b)
            if (owners_[b] == rank)
                blocks_[b].assign(kCells, b);
    }

    void rebalance(int time)
    {
        const Owners wanted = partition(time);
        move_to(cured ? relabel(owners_, wanted) : wanted);
    }

    void smooth()
    {
        for (std::vector<double> &block : blocks_)
            for (std::size_t i = 1; i + 1 < block.size(); ++i)
                block[i] = 0.5 * block[i] + 0.25 * (block[i - 1] + block[i + 1]);
    }

    bool is_right() const
    {
        bool right = true;
        for (int b = 0; b < kBlocks; ++b)
            right = right && (owners_[b] == rank ? blocks_[b].size() == kCells && blocks_[b][kCells / 2] == b : blocks_[b].empty());
        return right;
    }

private:
    void move_to(const Owners &wanted)
    {
        const int other = 1 - rank;
        leaving_.clear();
        for (int b = 0; b < kBlocks; ++b)
            if (owners_[b] == rank && wanted[b] == other) {
                leaving_.insert(leaving_.end(), blocks_[b].begin(), blocks_[b].end());
                blocks_[b].clear();
            }
        const int leave = static_cast<int>(leaving_.size());
        int come = 0;
        MPI_Sendrecv(&leave, 1, MPI_INT, other, 0, &come, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // how much
        coming_.resize(static_cast<std::size_t>(come));
        MPI_Sendrecv(leaving_.data(), leave, MPI_DOUBLE, other, 1, coming_.data(), come, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, // blocks
                     MPI_STATUS_IGNORE);
        auto at = coming_.begin();
        for (int b = 0; b < kBlocks; ++b)
            if (owners_[b] == other && wanted[b] == rank) {
                blocks_[b].assign(at, at + kCells);
                at += kCells;
            }
        owners_ = wanted;
    }

    Owners owners_;
    std::vector<std::vector<double>> blocks_;
    std::vector<double> leaving_, coming_; // kept, as their memory costs more than what they hold
};

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    Mesh mesh;
    begin_loop();
    for (int step = 0; step < kSteps; ++step) {
        if (step % kEvery == 0)
            mesh.rebalance(step / kEvery);
        mesh.smooth();
        double mine = 0.5, dt = 0;
        MPI_Allreduce(&mine, &dt, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD); // time step
    }
    return end(mesh.is_right());
}
