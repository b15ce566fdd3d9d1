// Each rank computes in a template, a virtual method and a function that throws, and says in milliseconds what each took.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <mpi.h>
#include <stdexcept>

static double taken[3];
static volatile double total;

static double now()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

template <typename Step>
__attribute__((noinline)) void compute(double seconds, int of, Step step)
{
    double begin = now(), end = begin;
    while (end - begin < seconds) {
        for (int turn = 0; turn < 20000; turn++)
            step(turn);
        end = now();
    }
    taken[of] += end - begin;
}

namespace mesh {

template <int SIZE>
__attribute__((noinline)) void relax(double seconds)
{
    compute(seconds, 0, [](int turn) { total = total + SIZE * turn; });
}

struct Solver {
    virtual ~Solver() = default;
    __attribute__((noinline)) virtual void solve(double seconds)
    {
        compute(seconds, 1, [](int turn) { total = total + std::sqrt(turn); });
    }
};

}  // namespace mesh

__attribute__((noinline)) static void fails(double seconds)
{
    compute(seconds, 2, [](int turn) { total = total - turn; });
    throw std::runtime_error("on purpose");
}

int main(int argc, char **argv)
{
    int rank;
    mesh::Solver solver, *any = &solver;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; step++) {
        mesh::relax<3>(rank == 0 ? 0.09 : 0.02);
        any->solve(0.06);
        try {
            fails(rank == 0 ? 0.02 : 0.08);
        } catch (const std::runtime_error &) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    double all[2][3];
    const char *names[] = {"mesh::relax", "mesh::Solver::solve", "fails"};
    MPI_Gather(taken, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int of = 0; rank == 0 && of < 6; of++)
        std::printf("%d %s %.0f\n", of / 3, names[of % 3], 1e3 * all[of / 3][of % 3]);
    MPI_Finalize();
    return 0;
}
