// Ranks print their particles in turn, with a barrier after each rank's turn, and format their lines when it is their turn. Cured: all format
// at the same time, agree on where in the file each one's text begins, and write it there.
#include "third.h"
#include <string>

namespace {

constexpr int kOutputs = 40, kStepsBetween = 4, kParticles = 10000;

class Table {
public:
    Table()
    {
        MPI_File_open(MPI_COMM_WORLD, P_tmpdir "/print_in_turn.txt", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file_);
    }

    ~Table() { MPI_File_close(&file_); }

    void print(int output)
    {
        if (cured)
            print_at_once(output);
        else
            print_in_turn(output);
    }

    // The last line of the other rank's last text is in its place.
    bool is_right() const
    {
        const int other = size - 1 - rank;
        const MPI_Offset texts = static_cast<MPI_Offset>(kOutputs - 1) * size + other + 1;
        char there[kLine];
        MPI_Barrier(MPI_COMM_WORLD); // all have written
        MPI_File_read_at(file_, texts * kText - kLine, there, kLine, MPI_CHAR, MPI_STATUS_IGNORE); // last line
        return std::string(there, kLine) == line(kOutputs - 1, other, kParticles - 1);
    }

private:
    static constexpr int kLine = 33, kText = kParticles * kLine;

    static std::string line(int output, int of, int particle)
    {
        char text[kLine + 1];
        std::snprintf(text, sizeof text, "%3d %3d %8d %15.9f\n", output, of, particle, 0.001 * particle);
        return text;
    }

    static std::string lines(int output)
    {
        std::string text;
        for (int p = 0; p < kParticles; ++p)
            text += line(output, rank, p);
        return text;
    }

    void print_in_turn(int output)
    {
        for (int turn = 0; turn < size; ++turn) {
            if (turn == rank)
                write(lines(output), length_);
            MPI_Barrier(MPI_COMM_WORLD); // the next one's turn
            length_ += kText;
        }
    }

    void print_at_once(int output)
    {
        const std::string text = lines(output);
        long long mine = static_cast<long long>(text.size()), behind = 0, all = 0;
        MPI_Scan(&mine, &behind, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD); // where the text ends
        write(text, length_ + behind - mine);
        MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD); // length of all texts
        length_ += all;
    }

    void write(const std::string &text, MPI_Offset at)
    {
        MPI_File_write_at(file_, at, text.data(), static_cast<int>(text.size()), MPI_CHAR, MPI_STATUS_IGNORE); // lines
    }

    MPI_File file_ = MPI_FILE_NULL;
    MPI_Offset length_ = 0;
};

void step(int number, int &correct)
{
    int there = -1;
    work_ms(1);
    MPI_Sendrecv(&number, 1, MPI_INT, size - 1 - rank, 0, &there, 1, MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // border
    correct &= there == number;
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv);
    int correct = 1;
    begin_loop();
    {
        Table table;
        for (int output = 0; output < kOutputs; ++output) {
            for (int s = 0; s < kStepsBetween; ++s)
                step(output * kStepsBetween + s, correct);
            table.print(output);
        }
        correct &= table.is_right();
    }
    return end(correct);
}
