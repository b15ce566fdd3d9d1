// Makes 2400 communicators in six ways, has a message or a barrier on each, and frees it when the next 8 are made. Three
// times in between, it makes one in each way and one rank comes 50 ms late: to the making of the communicator or to what
// is done on it. In those of MPI_Comm_split, whoever is rank 0 of the world is rank 1. Ranks that meet so often wait for
// each other in small ways too, the more the busier the machine is.
// run: -n 2
// also: MPI_Iallreduce MPI_Test MPI_Gather MPI_Comm_group MPI_Group_free
// expect: calls MPI_Comm_dup = 2 * 400 + 2 * 3
// expect: calls MPI_Comm_split = 2 * 400 + 2 * 3
// expect: calls MPI_Comm_create = 2 * 400 + 2 * 3
// expect: calls MPI_Comm_create_group = 2 * 400 + 2 * 3
// expect: calls MPI_Comm_idup = 2 * 400 + 2 * 3
// expect: calls MPI_Intercomm_create = 2 * 400 + 2 * 3
// expect: calls MPI_Comm_free = 12 * 400 + 12 * 3
// expect: calls MPI_Wait = 2 * 400 + 2 * 3
// expect: calls MPI_Barrier = 6 * 400 + 2 * 3
// expect: calls MPI_Send rank 0 = 3 * 400 + 2 * 3
// expect: calls MPI_Recv rank 1 = 3 * 400 + 2 * 3
// expect: calls MPI_Ssend rank 1 = 3
// expect: calls MPI_Recv rank 0 = 3
// expect: messages MPI_Send 0 -> 1 = 400 + 3
// expect: wait elsewhere < 0.2
// expect: wait wait_at_create rank 0 = 3 * 0.05 at MPI_Comm_dup // dup <- rank 1 MPI_Comm_dup // dup
// expect: wait wait_at_create rank 1 = 3 * 0.05 at MPI_Comm_create_group // group <- rank 0 MPI_Comm_create_group // group
// expect: wait wait_at_barrier rank 0 = 3 * 0.05 at MPI_Barrier // created <- rank 1 MPI_Barrier // created
// expect: wait late_sender rank 1 = 3 * 0.05 at MPI_Recv // receives on half <- rank 0 MPI_Send // sends on half
// expect: wait late_sender rank 1 = 3 * 0.05 at MPI_Recv // receives on copy <- rank 0 MPI_Send // sends on copy
// expect: wait late_receiver rank 1 = 3 * 0.05 at MPI_Ssend // sends across <- rank 0 MPI_Recv // receives across
#include "planted.h"

enum { TIMES = 400, PLANTED = 3, KEPT = 8 };

enum way { DUP, SPLIT, CREATE, CREATE_GROUP, IDUP, INTERCOMM, WAYS };

static MPI_Comm world;
static MPI_Status *no_status = MPI_STATUS_IGNORE;
static MPI_Group everyone;
static int rank, wrong;

static MPI_Comm make(enum way way)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    switch (way) {
    case DUP:
        MPI_Comm_dup(world, &made);
        break;
    case SPLIT:
        MPI_Comm_split(world, 0, -rank, &made);
        break;
    case CREATE:
        MPI_Comm_create(world, everyone, &made);
        break;
    case CREATE_GROUP:
        MPI_Comm_create_group(world, everyone, 1, &made);
        break;
    case IDUP:
        MPI_Comm_idup(world, &made, &request);
        MPI_Wait(&request, no_status);
        break;
    default:
        MPI_Intercomm_create(MPI_COMM_SELF, 0, world, 1 - rank, 2, &made);
    }
    return made;
}

// Rank 0 of the world sends to rank 1 of the world, whatever the communicator calls them.
static void use(MPI_Comm comm, enum way way, int number)
{
    int other = way == IDUP ? 1 - rank : way == SPLIT ? rank : 0, received = number;
    if (way == DUP || way == CREATE || way == CREATE_GROUP)
        MPI_Barrier(comm);
    else if (rank == 0)
        MPI_Send(&number, 1, MPI_INT, other, 3, comm);
    else
        MPI_Recv(&received, 1, MPI_INT, other, 3, comm, no_status);
    wrong += received != number;
}

static void arrive(int late, const char *mark)
{
    start_together();
    if (rank == late)
        be_late(0.05);
    note(mark);
}

static void plant(void)
{
    int data = 0;
    MPI_Comm dup, half, created, group, copy, across;
    arrive(1, "dup");
    MPI_Comm_dup(world, &dup); // dup
    arrive(0, "group");
    MPI_Comm_create_group(world, everyone, 1, &group); // group
    created = make(CREATE);
    arrive(1, "created");
    MPI_Barrier(created); // created
    half = make(SPLIT);
    arrive(0, rank == 0 ? "sends on half" : "receives on half");
    if (rank == 0)
        MPI_Send(&data, 1, MPI_INT, 0, 3, half); // sends on half
    else
        MPI_Recv(&data, 1, MPI_INT, 1, 3, half, no_status); // receives on half
    copy = make(IDUP);
    arrive(0, rank == 0 ? "sends on copy" : "receives on copy");
    if (rank == 0)
        MPI_Send(&data, 1, MPI_INT, 1, 3, copy); // sends on copy
    else
        MPI_Recv(&data, 1, MPI_INT, 0, 3, copy, no_status); // receives on copy
    across = make(INTERCOMM);
    arrive(0, rank == 0 ? "receives across" : "sends across");
    if (rank == 0)
        MPI_Recv(&data, 1, MPI_INT, 0, 3, across, no_status); // receives across
    else
        MPI_Ssend(&data, 1, MPI_INT, 0, 3, across); // sends across
    start_together();
    for (MPI_Comm *made[] = {&dup, &half, &created, &group, &copy, &across}, **comm = made; comm < made + WAYS; comm++)
        MPI_Comm_free(*comm);
}

int main(int argc, char **argv)
{
    MPI_Comm kept[KEPT];
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_group(world, &everyone);
    start_together();
    for (int number = 0; number < WAYS * TIMES; number++) {
        MPI_Comm *comm = &kept[number % KEPT];
        if (number >= KEPT)
            MPI_Comm_free(comm);
        *comm = make(number % WAYS);
        use(*comm, number % WAYS, number);
        if (number % (WAYS * TIMES / PLANTED) == 0)
            plant();
    }
    for (int i = 0; i < KEPT; i++)
        MPI_Comm_free(&kept[i]);
    MPI_Group_free(&everyone);
    gather_notes();
    tell("wait_at_create", 0, "dup", 1, "dup");
    tell("wait_at_create", 1, "group", 0, "group");
    tell("wait_at_barrier", 0, "created", 1, "created");
    tell("late_sender", 1, "receives on half", 0, "sends on half");
    tell("late_sender", 1, "receives on copy", 0, "sends on copy");
    tell("late_receiver", 1, "sends across", 0, "receives across");
    if (wrong)
        printf("wrong: %d messages\n", wrong);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
