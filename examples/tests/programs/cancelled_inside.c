// A thread is cancelled while it waits in MPI_Recv. What MPI had locked then stays locked, so the process ends without it.
// run: -n 1
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_for_nobody(void *argument)
{
    int in;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &in);
    MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return argument;
}

int main(int argc, char **argv)
{
    int provided;
    void *result;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, wait_for_nobody, NULL);
    usleep(300000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "returned");
    fflush(stdout);
    _exit(0);
}
