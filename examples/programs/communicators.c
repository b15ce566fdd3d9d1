// Makes communicators in every way, talks on each, frees them, and does so again 200 times: handles come again for other
// communicators of other sizes.
// run: -n 4
// also: MPI_Comm_dup MPI_Comm_split MPI_Comm_create MPI_Comm_create_group MPI_Cart_create MPI_Intercomm_create
// also: MPI_Intercomm_merge MPI_Comm_free MPI_Comm_group
// also: MPI_Group_incl MPI_Group_free MPI_Reduce
// expect: calls MPI_Allgather = 200 * 4 + 200 * 4 + 200 * 2 + 200 * 3 + 200 * 4 + 200 * 4
// expect: sent MPI_Allgather rank 0 = 200 * 4 + 200 * 4 + 200 * 4 + 200 * 4 + 200 * 4 + 200 * 4
// expect: received MPI_Allgather rank 0 = 200 * 4 * 4 + 200 * 4 * 2 + 200 * 4 * 2 + 200 * 4 * 3 + 200 * 4 * 4 + 200 * 4 * 4
// expect: received MPI_Allgather rank 3 = 200 * 4 * 4 + 200 * 4 * 2 + 200 * 4 * 4 + 200 * 4 * 4
// expect: calls MPI_Bcast = 200 * 4
// expect: sent MPI_Bcast rank 0 = 200 * 12
// expect: sent MPI_Bcast rank 1 = 0
// expect: received MPI_Bcast rank 1 = 0
// expect: received MPI_Bcast rank 2 = 200 * 12
// expect: received MPI_Bcast rank 3 = 200 * 12
// expect: sent MPI_Bcast = 200 * 12
#include <mpi.h>
#include <stdio.h>

static int wrong;

// Gathers world ranks; their sum tells whether it was the right communicator. Frees it.
static void talk(MPI_Comm comm, int sum)
{
    int rank, size, all[4], total = 0;
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        total += all[i];
    wrong += total != sum;
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, all = 0, two[] = {0, 1}, three[] = {0, 1, 2}, dims = 4, periodic = 1, data[3] = {0};
    MPI_Comm comm, half, between;
    MPI_Group world, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 200; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        talk(comm, 6);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
        talk(comm, rank % 2 ? 4 : 2);
        MPI_Group_incl(world, 2, two, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
        talk(comm, 1);
        MPI_Group_free(&group);
        MPI_Group_incl(world, 3, three, &group);
        if (rank < 3) {
            MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
            talk(comm, 3);
        }
        MPI_Group_free(&group);
        MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periodic, 0, &comm);
        talk(comm, 6);
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 6, &between);
        MPI_Bcast(data, 3, MPI_INT, rank >= 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
        MPI_Intercomm_merge(between, rank >= 2, &comm);
        talk(comm, 6);
        MPI_Comm_free(&between);
        MPI_Comm_free(&half);
    }
    MPI_Group_free(&world);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all)
        printf("wrong: %d\n", all);
    else if (rank == 0)
        puts("ok");
    MPI_Finalize();
    return 0;
}
