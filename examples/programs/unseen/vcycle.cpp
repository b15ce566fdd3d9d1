// Multigrid in one dimension: the coarse levels have a handful of points per rank, and exchange borders as often as the fine ones, so that
// latency takes the time. Cured: from 128 points down, each rank has all points of a level and works without messages.
#include "unseen.h"
#include <cmath>
#include <type_traits>
#include <vector>

namespace mg {

using Numbers = std::vector<double>;

// The edges of a part of the line: those of other ranks, or the ends of the line.
struct Apart {
    static void exchange(Numbers &u)
    {
        const int n = static_cast<int>(u.size()) - 2;
        const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        u[0] = -u[1];
        u[n + 1] = -u[n];
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[n + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the left
        MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // to the right
    }
};

struct Alone {
    static void exchange(Numbers &u)
    {
        u.front() = -u[1];
        u.back() = -u[u.size() - 2];
    }
};

template <typename Edges>
void smooth(Numbers &u, const Numbers &f, double h, int times)
{
    for (int t = 0; t < times; ++t) {
        Edges::exchange(u);
        double before = u[0];
        for (std::size_t i = 1; i + 1 < u.size(); ++i) {
            const double old = u[i];
            u[i] += 0.66 * 0.5 * (h * h * f[i] - 2 * old + before + u[i + 1]);
            before = old;
        }
    }
}

template <typename Edges>
Numbers residual(Numbers &u, const Numbers &f, double h)
{
    Edges::exchange(u);
    Numbers r(u.size());
    for (std::size_t i = 1; i + 1 < u.size(); ++i)
        r[i] = f[i] - (2 * u[i] - u[i - 1] - u[i + 1]) / (h * h);
    return r;
}

template <typename Edges>
void cycle(Numbers &u, const Numbers &f, double h);

// Gives every rank all points of the level below.
inline Numbers solved_together(const Numbers &f, double h)
{
    const int n = static_cast<int>(f.size()) - 2;
    Numbers all(n * size + 2), u(n * size + 2);
    MPI_Allgather(&f[1], n, MPI_DOUBLE, &all[1], n, MPI_DOUBLE, MPI_COMM_WORLD);
    cycle<Alone>(u, all, h);
    return Numbers(u.begin() + rank * n, u.begin() + (rank + 1) * n + 2);
}

template <typename Edges>
void cycle(Numbers &u, const Numbers &f, double h)
{
    const std::size_t n = u.size() - 2;
    smooth<Edges>(u, f, h, 2);
    if (n <= 2)
        return smooth<Edges>(u, f, h, 6);
    const Numbers r = residual<Edges>(u, f, h);
    Numbers coarse(n / 2 + 2), correction(n / 2 + 2);
    for (std::size_t i = 1; i <= n / 2; ++i)
        coarse[i] = 0.5 * (r[2 * i - 1] + r[2 * i]);
    if (cured && std::is_same<Edges, Apart>::value && n / 2 <= 128)
        correction = solved_together(coarse, 2 * h);
    else
        cycle<Edges>(correction, coarse, 2 * h);
    for (std::size_t i = 1; i <= n; ++i)
        u[i] += correction[(i + 1) / 2];
    smooth<Edges>(u, f, h, 2);
}

double norm(const Numbers &r)
{
    double mine = 0, all;
    for (std::size_t i = 1; i + 1 < r.size(); ++i)
        mine += r[i] * r[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return std::sqrt(all);
}

} // namespace mg

int main(int argc, char **argv)
{
    begin(argc, argv);
    const int points = 512, cycles = 25;
    const double h = 1.0 / (points * size);
    int correct = 1;
    begin_loop();
    for (int problem = 0; problem < 300; ++problem) {
        mg::Numbers u(points + 2), f(points + 2, 1.0 + problem % 3);
        const double first = mg::norm(f);
        for (int c = 0; c < cycles; ++c)
            mg::cycle<mg::Apart>(u, f, h);
        correct &= mg::norm(mg::residual<mg::Apart>(u, f, h)) < 0.02 * first;
    }
    return end(correct);
}
