// Two sessions are open at once, each in a thread of its own; no other was open before.
// run: -n 2
#include "session.h"
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t both;
static int wrong[2], rank[2];

static void meet(void)
{
    pthread_barrier_wait(&both);
}

static void *use(void *argument)
{
    int which = *(int *)argument;
    char tag[] = {'o', 'v', 'e', 'r', '0' + which, 0};
    meet();
    wrong[which] = exchange_in_session(tag, &rank[which], meet, meet);
    return NULL;
}

int main(void)
{
    int which[] = {0, 1};
    pthread_t other;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&other, NULL, use, &which[1]);
    use(&which[0]);
    pthread_join(other, NULL);
    if (wrong[0] + wrong[1])
        printf("wrong: %d, %d\n", wrong[0], wrong[1]);
    else if (rank[0] == 0)
        puts("done");
    return 0;
}
