// Two ranks make ROUNDS rounds: each posts a receive, of every third round from any source, sends 8 bytes to the other, waits for
// both, and broadcasts to itself 20 times; after every fourth round both reduce. Before the first round rank 0 posts a receive
// by tag 99 that rank 1 sends to after the last one. In the LATE last rounds rank 1 sleeps 20 ms before it sends. Rank 0 counts
// its completed calls in a shared file. Then, with "killed", a thread of rank 0 has killed it after half of the rounds; with
// "waiting", rank 0 waits for a message that nobody sends, and rank 1 in a barrier.
// run: -n 2 -- ROUNDS LATE COUNTER-FILE [killed | waiting]
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *done;
static uint64_t calls_to_die_after;

static void *kill_soon(void *unused)
{
    (void)unused;
    while (*done < calls_to_die_after)
        usleep(50);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    long rounds = atol(argv[1]), late = atol(argv[2]), value[4] = {0};
    const char *end = argc > 4 ? argv[4] : "";
    MPI_Request requests[2], first = MPI_REQUEST_NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    int file = open(rank == 0 ? argv[3] : "/dev/zero", O_RDWR | O_CREAT, 0644);
    if (rank == 0 && ftruncate(file, 4096))
        return 1;
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    calls_to_die_after = (uint64_t)rounds * 23 / 2;
    pthread_t killer;
    if (rank == 0 && !strcmp(end, "killed"))
        pthread_create(&killer, NULL, kill_soon, NULL);
    if (rank == 0) {
        MPI_Irecv(&value[3], 1, MPI_LONG, other, 99, MPI_COMM_WORLD, &first);
        ++*done;
    }
    for (long round = 0; round < rounds; round++) {
        int from = round % 3 == 2 ? MPI_ANY_SOURCE : other;
        MPI_Irecv(&value[0], 1, MPI_LONG, from, 7, MPI_COMM_WORLD, &requests[0]);
        ++*done;
        if (rank == 1 && round >= rounds - late)
            usleep(20000);
        MPI_Isend(&value[1], 1, MPI_LONG, other, 7, MPI_COMM_WORLD, &requests[1]);
        ++*done;
        MPI_Status statuses[2];
        MPI_Waitall(2, requests, statuses);
        ++*done;
        for (int i = 0; i < 20; i++) {
            MPI_Bcast(&value[2], 1, MPI_LONG, 0, MPI_COMM_SELF);
            ++*done;
        }
        if (round % 4 == 3) {
            long sum;
            MPI_Allreduce(&value[0], &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            ++*done;
        }
    }
    if (!strcmp(end, "waiting")) {
        if (rank == 0)
            MPI_Recv(&value[0], 1, MPI_LONG, other, 98, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Send(&value[1], 1, MPI_LONG, other, 99, MPI_COMM_WORLD);
    else {
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        ++*done;
    }
    MPI_Finalize();
    return 0;
}
