// Rank 0 parses a large text of numbers, and scatters them, before the steps begin. Cured: each rank parses its part of the text.
#include "unseen.h"

enum { NUMBERS = 8000000, DIGITS = 8, STEPS = 120 };

static char *text;
static double *numbers;

static void parse(int from, int to)
{
    for (int i = from; i < to; i++)
        numbers[i - from] = strtod(text + (size_t)i * DIGITS, NULL);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    int share = NUMBERS / size, correct = 1;
    text = malloc((size_t)NUMBERS * DIGITS);
    numbers = malloc((size_t)NUMBERS * sizeof *numbers);
    double *mine = malloc((size_t)share * sizeof *mine);
    for (int i = 0; i < NUMBERS; i++) {
        char number[DIGITS + 1];
        snprintf(number, sizeof number, "%07d\n", i);
        memcpy(text + (size_t)i * DIGITS, number, DIGITS);
    }
    begin_loop();
    if (cured) {
        parse(rank * share, (rank + 1) * share);
        memcpy(mine, numbers, (size_t)share * sizeof *mine);
    } else {
        if (rank == 0)
            parse(0, NUMBERS);
        MPI_Scatter(numbers, share, MPI_DOUBLE, mine, share, MPI_DOUBLE, 0, MPI_COMM_WORLD); // input
    }
    for (int step = 0; step < STEPS; step++) {
        double sum = mine[step] + mine[share - 1], all;
        spend(3000000);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // step
        double expected = 0;
        for (int i = 0; i < size; i++)
            expected += i * share + step + (i + 1) * share - 1;
        correct &= all == expected;
    }
    return end(correct);
}
