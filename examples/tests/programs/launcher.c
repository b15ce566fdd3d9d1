// A launcher that starts nothing. For each SIGUSR1 one byte more is in the file LOG; SIGTERM ends it with status 7.
// run: LOG ...
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counted;

static void count(int signal)
{
    (void)signal;
    (void)!write(counted, ".", 1);
}

static void end(int signal)
{
    (void)signal;
    _exit(7);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        puts("Open MPI, so to speak");
        return 0;
    }
    signal(SIGUSR1, count);
    signal(SIGTERM, end);
    // Options are put before what the user gives.
    counted = open(argv[argc - 1], O_CREAT | O_WRONLY | O_APPEND, 0644);
    for (;;)
        pause();
}
