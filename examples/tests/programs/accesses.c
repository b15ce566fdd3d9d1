// Each rank writes, syncs and reads a file of its own between its calls of MPI, by descriptors and by streams, and says what it
// did: rank, operation and comment of the line, how often, how many bytes, how many seconds.
// Arguments: a folder for the files.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 4096, PIECES = 300 };

static int rank;
static char piece[PIECE];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void say(const char *what, int count, long bytes, double seconds)
{
    printf("%d %s %d %ld %.9f\n", rank, what, count, bytes, seconds);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[4096], text[4096], line[100];
    snprintf(path, sizeof path, "%s/data-%d", argv[1], rank);
    snprintf(text, sizeof text, "%s/text-%d", argv[1], rank);

    double opened = -now();
    int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600); // open
    opened += now();
    MPI_Barrier(MPI_COMM_WORLD);

    double written = 0, synced = 0, placed = 0, read_back = 0;
    for (int at = 0; at < PIECES; at++) {
        written -= now();
        if (write(file, piece, PIECE) != PIECE) // write
            return 1;
        written += now();
        if (at % 50 == 49) {
            synced -= now();
            fsync(file); // sync
            synced += now();
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    for (int at = PIECES; at-- > 0;) {
        placed -= now();
        if (pwrite(file, piece, PIECE / 2, (off_t)at * PIECE) != PIECE / 2) // write backwards
            return 1;
        placed += now();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    lseek(file, 0, SEEK_SET);
    for (int at = 0; at < PIECES; at++) {
        read_back -= now();
        if (read(file, piece, PIECE) != PIECE) // read
            return 1;
        read_back += now();
    }
    double closed = -now();
    close(file); // close
    closed += now();
    MPI_Barrier(MPI_COMM_WORLD);

    double streamed = 0, lines = 0;
    FILE *stream = fopen(text, "w+"); // open a stream
    for (int at = 0; at < PIECES; at++) {
        streamed -= now();
        fwrite(piece, PIECE / 8, 4, stream); // stream
        streamed += now();
    }
    rewind(stream);
    fclose(stream);
    stream = fopen(text, "w");
    fputs("first\nsecond line\n", stream); // line
    fflush(stream); // flush
    fclose(stream);
    stream = fopen(text, "r");
    int count = 0;
    long bytes = 0;
    for (;;) {
        lines -= now();
        char *got = fgets(line, sizeof line, stream); // read lines
        lines += now();
        count++;
        if (!got)
            break;
        bytes += strlen(got);
    }
    fclose(stream);
    MPI_Barrier(MPI_COMM_WORLD);

    say("open", 1, 0, opened);
    say("write", PIECES, (long)PIECES * PIECE, written);
    say("sync", PIECES / 50, 0, synced);
    say("write_backwards", PIECES, (long)PIECES * PIECE / 2, placed);
    say("read", PIECES, (long)PIECES * PIECE, read_back);
    say("close", 1, 0, closed);
    say("stream", PIECES, (long)PIECES * PIECE / 2, streamed);
    say("read_lines", count, bytes, lines);
    MPI_Finalize();
    return 0;
}
