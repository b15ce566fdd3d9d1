// Three sessions, one after another.
// run: -n 2
#include "session.h"
#include <stdio.h>

static void alone(void)
{
}

int main(void)
{
    int rank = 0, wrong = 0;
    for (int i = 0; i < 3; i++)
        wrong += exchange_in_session("overhear", &rank, alone, alone);
    if (wrong)
        printf("wrong: %d\n", wrong);
    else if (rank == 0)
        puts("done");
    return 0;
}
