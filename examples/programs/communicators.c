// Makes communicators in every way, talks on each, frees them, and does so again: handles come again for communicators
// of other sizes. Those of more ranks than there are cores take MPICH milliseconds, so most are of one rank.
// run: -n 4
// also: MPI_Reduce
// expect: calls MPI_Comm_set_name = 8 * 4
// expect: calls MPI_Comm_dup = 8 * 2 * 4 + 8 * 25 * 4
// expect: calls MPI_Comm_split = 8 * 2 * 4
// expect: calls MPI_Comm_create = 8 * 4
// expect: calls MPI_Comm_create_group = 8 * 3
// expect: calls MPI_Cart_create = 8 * 4 + 8 * 25 * 4
// expect: calls MPI_Intercomm_create = 8 * 4
// expect: calls MPI_Intercomm_merge = 8 * 4
// expect: calls MPI_Comm_free rank 0 = 8 * 9 + 8 * 25 * 2
// expect: calls MPI_Comm_free rank 3 = 8 * 7 + 8 * 25 * 2
// expect: calls MPI_Comm_group = 4
// expect: calls MPI_Group_incl = 8 * 2 * 4
// expect: calls MPI_Group_free = 8 * 2 * 4 + 4
// expect: calls MPI_Allgather = 8 * 4 * 4 + 8 * 2 + 8 * 3 + 8 * 25 * 2 * 4
// expect: sent MPI_Allgather rank 0 = 8 * 6 * 4 + 8 * 25 * 2 * 4
// expect: received MPI_Allgather rank 0 = 8 * 4 * 4 * 3 + 8 * 2 * 4 * 2 + 8 * 3 * 4 + 8 * 25 * 2 * 4
// expect: received MPI_Allgather rank 3 = 8 * 4 * 4 * 3 + 8 * 2 * 4 + 8 * 25 * 2 * 4
// expect: calls MPI_Irecv = 8 * 4
// expect: received MPI_Irecv rank 0 = 8 * 3 * 4
// expect: messages MPI_Irecv 0 -> 1 = 8
// expect: calls MPI_Isend = 8 * 4
// expect: sent MPI_Isend rank 3 = 8 * 3 * 4
// expect: messages MPI_Isend 3 -> 2 = 8
// expect: calls MPI_Waitall = 8 * 4
// expect: calls MPI_Sendrecv = 8 * 4
// expect: sent MPI_Sendrecv rank 0 = 8 * 2 * 4
// expect: received MPI_Sendrecv rank 3 = 8 * 2 * 4
// expect: calls MPI_Bcast = 8 * 4
// expect: sent MPI_Bcast rank 0 = 8 * 12
// expect: sent MPI_Bcast rank 1 = 0
// expect: received MPI_Bcast rank 1 = 0
// expect: received MPI_Bcast rank 2 = 8 * 12
// expect: received MPI_Bcast rank 3 = 8 * 12
// expect: sent MPI_Bcast = 8 * 12
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
    int rank, all = 0, came[3], two[] = {0, 1}, three[] = {0, 1, 2}, four = 4, one = 1, data[3] = {0};
    MPI_Comm comm, half, between;
    MPI_Request requests[2];
    MPI_Group world, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 8; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, "neighbors");
        // It goes when the messages on it are complete; the next may have its handle already.
        MPI_Irecv(came, 3, MPI_INT, rank ^ 1, 7, comm, &requests[0]);
        MPI_Isend(data, 3, MPI_INT, rank ^ 1, 7, comm, &requests[1]);
        MPI_Comm_free(&comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
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
        MPI_Cart_create(MPI_COMM_WORLD, 1, &four, &one, 0, &comm);
        talk(comm, 6);
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 6, &between);
        int same = rank % 2;
        MPI_Sendrecv(two, 2, MPI_INT, same, 8, came, 3, MPI_INT, same, 8, between, MPI_STATUS_IGNORE);
        wrong += came[0] != 0 || came[1] != 1;
        MPI_Bcast(data, 3, MPI_INT, rank >= 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
        MPI_Intercomm_merge(between, rank >= 2, &comm);
        talk(comm, 6);
        MPI_Comm_free(&between);
        MPI_Comm_free(&half);
        for (int again = 0; again < 25; again++) {
            MPI_Comm_dup(MPI_COMM_SELF, &comm);
            talk(comm, rank);
            MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &comm);
            talk(comm, rank);
        }
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
