// Sorts keys that are mostly small, with a splitter in the middle of their range instead of in the middle of the keys: rank 0 gets four
// fifths of them. Cured: the splitter is the median of a sample.
#include "unseen.h"
#include <algorithm>
#include <numeric>
#include <vector>

namespace {

constexpr int keys_per_rank = 120000;
constexpr int rounds = 100;

std::vector<float> keys_of(int round)
{
    std::vector<float> keys(keys_per_rank);
    unsigned state = random_of(round * 16 + rank);
    std::generate(keys.begin(), keys.end(), [&state] {
        state = state * 1664525u + 1013904223u;
        const float x = (state >> 8) * (1.0f / (1 << 24));
        return x * x * x * x;
    });
    return keys;
}

float choose_splitter(const std::vector<float> &keys)
{
    if (!cured)
        return 0.5f;
    enum { taken = 200 };
    std::vector<float> sample(taken * size);
    MPI_Allgather(keys.data(), taken, MPI_FLOAT, sample.data(), taken, MPI_FLOAT, MPI_COMM_WORLD);
    std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
    return sample[sample.size() / 2];
}

template <typename Key>
std::vector<Key> redistribute(std::vector<Key> &keys, Key splitter)
{
    const auto middle = std::partition(keys.begin(), keys.end(), [splitter](Key key) { return key < splitter; });
    int counts[2] = {static_cast<int>(middle - keys.begin()), static_cast<int>(keys.end() - middle)}, theirs[2];
    MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD); // counts
    int from[2] = {0, counts[0]}, to[2] = {0, theirs[0]};
    std::vector<Key> bucket(theirs[0] + theirs[1]);
    MPI_Alltoallv(keys.data(), counts, from, MPI_FLOAT, bucket.data(), theirs, to, MPI_FLOAT, MPI_COMM_WORLD); // keys
    return bucket;
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    for (int round = 0; round < rounds; ++round) {
        auto keys = keys_of(round);
        auto bucket = redistribute(keys, choose_splitter(keys));
        std::sort(bucket.begin(), bucket.end());
        int here = static_cast<int>(bucket.size()), total;
        MPI_Allreduce(&here, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // sorted
        correct &= total == size * keys_per_rank && std::is_sorted(bucket.begin(), bucket.end());
    }
    return end(correct);
}
