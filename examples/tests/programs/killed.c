// Rank 0 makes calls, counting each in a shared file when it has returned, and is killed by a thread of its own after 60,000 of
// them, or, with the argument "waiting", after 100,000 in a receive that nothing will match. Something else comes meanwhile.
// run: -n 2 -- COUNTER-FILE [waiting]
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *done;
static int waiting;

static void *kill_soon(void *unused)
{
    (void)unused;
    if (waiting)
        usleep(1000000);
    else
        while (*done < 60000)
            ;
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided, flag, data = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    waiting = argc > 2 && !strcmp(argv[2], "waiting");
    if (rank == 0) {
        int file = open(argv[1], O_RDWR | O_CREAT, 0644);
        if (ftruncate(file, 4096))
            return 1;
        done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        pthread_t thread;
        if (!waiting)
            pthread_create(&thread, NULL, kill_soon, NULL);
        // However late the thread gets its turn, it comes in the middle of them.
        for (int i = 0; !waiting || i < 100000; i++) {
            // Some are recorded one by one, some counted together.
            if (i % 10 < 5)
                MPI_Iprobe(1, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            else
                MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF);
            ++*done;
            // Ranks share cores: the thread that kills should get its turn soon.
            if (i % 1000 == 0)
                usleep(100);
        }
        if (waiting) {
            pthread_create(&thread, NULL, kill_soon, NULL);
            MPI_Send(&data, 1, MPI_INT, 1, 97, MPI_COMM_WORLD);
        }
        char byte;
        MPI_Recv(&byte, 1, MPI_BYTE, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1 && waiting) {
        MPI_Recv(&data, 1, MPI_INT, 0, 97, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(100000);
        MPI_Send(&data, 1, MPI_INT, 0, 98, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
