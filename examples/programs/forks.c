// Each rank forks a child that works, asks MPI for the time and ends, and another that becomes /bin/true, waits for
// both and goes on communicating. What children do is not recorded.
// run: -n 2
// filter: all
// also: MPI_Reduce
// expect: calls MPI_Comm_rank = 2
// expect: calls MPI_Wtime = 0
// expect: calls MPI_Sendrecv = 2 * 2 * 10
// expect: sent MPI_Sendrecv rank 0 = 2 * 10 * 4
// expect: received MPI_Sendrecv rank 1 = 2 * 10 * 4
// expect: messages MPI_Sendrecv 0 -> 1 = 2 * 10
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, wrong;

static void communicate(void)
{
    for (int i = 0; i < 10; i++) {
        int out = 10 * i + rank, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != 10 * i + 1 - rank;
    }
}

static void wait_for(pid_t child)
{
    int status;
    wrong += child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    communicate();
    pid_t works = fork();
    if (works == 0) {
        volatile double sum = 0;
        for (int i = 0; i < 1000000; i++)
            sum += i;
        for (int i = 0; i < 1000; i++)
            sum += MPI_Wtime();
        _exit(0);
    }
    pid_t becomes = fork();
    if (becomes == 0) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    wait_for(works);
    wait_for(becomes);
    communicate();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
