// Has a filter refuse getrusage; "cores": and sched_getaffinity, without which all but Open MPI 4 hang. The process has these from
// its start, as in a container. "files": and all opening of files from MPI_Init on. Sends COUNT small messages each way. Prints "no filter" if the system
// has none.
// run: -n 2 -- [time|cores|files] COUNT
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(int call)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int rank, value = 0, failed = 0;
    if (!getenv("DENIED")) {
        failed = refuse(SYS_getrusage);
        if (strcmp(argv[1], "cores") == 0)
            failed |= refuse(SYS_sched_getaffinity);
        if (failed)
            puts("no filter");
        fflush(stdout);
        setenv("DENIED", "1", 1);
        execv("/proc/self/exe", argv);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "files") == 0)
        failed |= refuse(SYS_openat);
    for (int i = 0; i < atoi(argv[2]); i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (failed)
        printf("no filter\n");
    MPI_Finalize();
    return 0;
}
