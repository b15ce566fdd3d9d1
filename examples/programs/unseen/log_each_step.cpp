// Molecular dynamics whose rank 0 writes a line for each of some atoms into its log, at every step. Cured: at every fiftieth.
#include "unseen.h"
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

class Log {
public:
    Log() : file_(std::tmpfile()) {}
    ~Log() { std::fclose(file_); }

    template <typename Range>
    void write(int step, const Range &atoms)
    {
        std::ostringstream lines;
        for (const auto &atom : atoms)
            lines << "step " << step << ' ' << std::setprecision(12) << atom << '\n';
        const std::string text = lines.str();
        std::fwrite(text.data(), 1, text.size(), file_);
        std::fflush(file_);
    }

private:
    std::FILE *file_;
};

static double advance(std::vector<double> &atoms)
{
    double energy = 0;
    for (auto &atom : atoms) {
        atom += 0.001;
        energy += grind(500) > 0;
    }
    return energy;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    std::vector<double> atoms(1200, rank);
    int correct = 1;
    const auto is_logged = [](int step) { return rank == 0 && step % (cured ? 50 : 1) == 0; };
    {
        Log log;
        begin_loop();
        for (int step = 0; step < 700; ++step) {
            double energy = advance(atoms), total;
            if (is_logged(step))
                log.write(step, atoms);
            MPI_Allreduce(&energy, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // energy
            correct &= total == 1200.0 * size;
        }
    }
    return end(correct);
}
