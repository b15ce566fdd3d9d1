// Labels spread over a graph, each vertex to its neighbors, and each edge that crosses to the other rank is a message. Cured: all that go to the other
// rank in one message.
#include "../third/third.h"
#include <algorithm>
#include <vector>

namespace {

constexpr int kVertices = 60000, kInside = 8, kCross = 2500, kRounds = 300;

struct Update {
    int vertex;
    int label;
};

class Graph {
public:
    Graph() : labels_(kVertices), next_(kVertices)
    {
        for (int v = 0; v < kVertices; ++v)
            labels_[v] = next_[v] = kVertices * (1 + rank) + v;
    }

    void round()
    {
        spread_inside();
        if (cured)
            spread_together();
        else
            spread_one_by_one();
        labels_ = next_;
    }

    bool has_one_label() const
    {
        int mine = 0, highest = 0;
        for (const int label : labels_)
            mine = std::max(mine, label);
        MPI_Allreduce(&mine, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        return mine == highest;
    }

private:
    static int neighbor(int vertex, int number)
    {
        return static_cast<int>(random_of(static_cast<unsigned>(vertex * kInside + number)) % kVertices);
    }

    static Update update_of(const std::vector<int> &labels, int edge)
    {
        const int vertex = neighbor(edge, 0);
        return {vertex, labels[vertex]};
    }

    void spread_inside()
    {
        for (int v = 0; v < kVertices; ++v)
            for (int n = 0; n < kInside; ++n)
                apply({neighbor(v, n), labels_[v]});
    }

    void apply(Update update)
    {
        next_[update.vertex] = std::max(next_[update.vertex], update.label);
    }

    // Receives an update, or those that are there already.
    void receive(int wanted, int &received)
    {
        for (int there = 1; received < wanted;) {
            Update update;
            MPI_Iprobe(1 - rank, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); // any update
            if (!there)
                return;
            MPI_Recv(&update, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // update
            apply(update);
            ++received;
        }
    }

    void spread_one_by_one()
    {
        int received = 0;
        for (int e = 0; e < kCross; ++e) {
            const Update update = update_of(labels_, e);
            MPI_Send(&update, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); // one edge
            receive(kCross, received);
        }
        while (received < kCross)
            receive(kCross, received);
    }

    void spread_together()
    {
        std::vector<Update> mine(kCross), theirs(kCross);
        for (int e = 0; e < kCross; ++e)
            mine[e] = update_of(labels_, e);
        MPI_Sendrecv(mine.data(), 2 * kCross, MPI_INT, 1 - rank, 0, theirs.data(), 2 * kCross, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, // all edges
                     MPI_STATUS_IGNORE);
        for (const Update &update : theirs)
            apply(update);
    }

    std::vector<int> labels_, next_;
};

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    Graph graph;
    begin_loop();
    for (int r = 0; r < kRounds; ++r)
        graph.round();
    return end(graph.has_one_label());
}
