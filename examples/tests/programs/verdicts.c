// Small programs for `overhear hang`, one a function: right ones, and ones that break a rule of MPI and wait for ever.
//
// Each states its name, its ranks and its truth: HANGS, ENDS, or DEPENDS where libraries differ. Whoever runs it sees which it is,
// since one that hangs does not end by itself.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define ANY MPI_ANY_SOURCE

static int rank, size;
static int data, other_data;
// More than any library buffers.
enum { MANY = 8 << 20 };
static char large[MANY], other_large[MANY];

struct program {
    const char *name;
    void (*run)(void);
    int threads;
    struct program *next;
};

static struct program *programs;

#define REGISTER(program_name, level)                                                                                  \
    static void program_name(void);                                                                                    \
    static struct program of_##program_name = {#program_name, program_name, level, 0};                                 \
    __attribute__((constructor)) static void register_##program_name(void)                                             \
    {                                                                                                                  \
        of_##program_name.next = programs;                                                                             \
        programs = &of_##program_name;                                                                                 \
    }                                                                                                                  \
    static void program_name(void)

#define PROGRAM(name, ranks, truth) REGISTER(name, 0)
// With MPI_THREAD_MULTIPLE.
#define THREADED(name, ranks, truth) REGISTER(name, 1)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

static void rest(double seconds)
{
    usleep((useconds_t)(1e6 * seconds));
}

static void send(int to, int tag)
{
    MPI_Send(&data, 1, MPI_INT, to, tag, W);
}

static void receive(int from, int tag)
{
    MPI_Recv(&data, 1, MPI_INT, from, tag, W, IGNORE);
}

static void send_large(int to, int tag)
{
    MPI_Send(large, MANY, MPI_CHAR, to, tag, W);
}

static void receive_large(int from, int tag)
{
    MPI_Recv(other_large, MANY, MPI_CHAR, from, tag, W, IGNORE);
}

static MPI_Request receiving(int *into, int from, int tag)
{
    MPI_Request request;
    MPI_Irecv(into, 1, MPI_INT, from, tag, W, &request);
    return request;
}

static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, IGNORE);
}

static int next(void)
{
    return (rank + 1) % size;
}

static int before(void)
{
    return (rank + size - 1) % size;
}

// Messages from one rank to another.

PROGRAM(receives_first, 2, HANGS)
{
    receive(1 - rank, 1);
    send(1 - rank, 1);
}

PROGRAM(one_sends_first, 2, ENDS)
{
    if (rank == 0) {
        receive(1, 1);
        send(1, 1);
    } else {
        compute(2);
        send(0, 1);
        receive(0, 1);
    }
}

PROGRAM(large_sends_first, 2, HANGS)
{
    send_large(1 - rank, 1);
    receive_large(1 - rank, 1);
}

PROGRAM(synchronous_sends_first, 2, HANGS)
{
    MPI_Ssend(&data, 1, MPI_INT, 1 - rank, 1, W);
    receive(1 - rank, 1);
}

PROGRAM(small_sends_first, 2, ENDS)
{
    for (int i = 0; i < 200; i++) {
        send(1 - rank, 1);
        receive(1 - rank, 1);
        rest(0.01);
    }
}

PROGRAM(buffered_sends_first, 2, ENDS)
{
    static char buffer[MANY];
    MPI_Buffer_attach(buffer, MANY);
    MPI_Bsend(&data, 1, MPI_INT, 1 - rank, 1, W);
    if (rank == 1)
        compute(2);
    receive(1 - rank, 1);
    void *back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
}

PROGRAM(large_sendrecv, 2, ENDS)
{
    if (rank == 1)
        compute(2);
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(large, MANY, MPI_CHAR, 1 - rank, 1, other_large, MANY, MPI_CHAR, 1 - rank, 1, W, IGNORE);
}

PROGRAM(sendrecv_in_a_broken_ring, 3, HANGS)
{
    if (rank < 2)
        MPI_Sendrecv(&data, 1, MPI_INT, next(), 1, &other_data, 1, MPI_INT, before(), 1, W, IGNORE);
    else
        receive(before(), 2);
}

PROGRAM(wrong_tag, 2, HANGS)
{
    if (rank == 0)
        send(1, 8);
    else
        receive(0, 7);
}

PROGRAM(wrong_source, 3, HANGS)
{
    if (rank == 0)
        receive(2, 1);
    if (rank == 1)
        send(0, 1);
}

PROGRAM(wrong_communicator, 2, HANGS)
{
    MPI_Comm dup;
    MPI_Comm_dup(W, &dup);
    if (rank == 0)
        send(1, 1);
    else
        MPI_Recv(&data, 1, MPI_INT, 0, 1, dup, IGNORE);
}

PROGRAM(large_messages_in_another_order, 2, HANGS)
{
    if (rank == 0) {
        send_large(1, 1);
        send(1, 2);
    } else {
        receive(0, 2);
        receive_large(0, 1);
    }
}

PROGRAM(two_irecvs_one_message, 2, HANGS)
{
    if (rank == 0)
        send(1, 1);
    else {
        MPI_Request both[2] = {receiving(&data, 0, 1), receiving(&other_data, 0, 1)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
}

PROGRAM(two_irecvs_two_messages, 2, ENDS)
{
    if (rank == 0) {
        send(1, 1);
        compute(2);
        send(1, 1);
    } else {
        MPI_Request both[2] = {receiving(&data, 0, 1), receiving(&other_data, 0, 1)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
}

PROGRAM(irecv_and_recv_one_message, 2, HANGS)
{
    if (rank == 0)
        send(1, 1);
    else {
        MPI_Request first = receiving(&other_data, 0, 1);
        receive(0, 1);
        wait_for(first);
    }
}

PROGRAM(irecv_from_any_and_recv_one_message, 2, HANGS)
{
    if (rank == 0)
        send(1, 1);
    else {
        MPI_Request first = receiving(&other_data, ANY, 1);
        receive(0, 1);
        wait_for(first);
    }
}

PROGRAM(two_irecvs_from_any_one_message, 2, HANGS)
{
    if (rank == 0)
        send(1, 1);
    else {
        MPI_Request both[2] = {receiving(&data, ANY, 1), receiving(&other_data, ANY, 1)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
}

PROGRAM(irecv_of_any_tag_takes_it, 2, HANGS)
{
    if (rank == 0)
        send(1, 1);
    else {
        MPI_Request first = receiving(&other_data, 0, MPI_ANY_TAG);
        receive(0, 1);
        wait_for(first);
    }
}

PROGRAM(ring_of_receives, 4, HANGS)
{
    receive(before(), 1);
    send(next(), 1);
}

PROGRAM(ring_of_large_sends, 4, HANGS)
{
    send_large(next(), 1);
    receive_large(before(), 1);
}

PROGRAM(ring_with_one_turned_round, 4, ENDS)
{
    if (rank == 0) {
        compute(2);
        send_large(next(), 1);
        receive_large(before(), 1);
    } else {
        receive_large(before(), 1);
        send_large(next(), 1);
    }
}

PROGRAM(all_receive_from_any, 3, HANGS)
{
    receive(ANY, 1);
    send(next(), 1);
}

PROGRAM(any_frees_the_cycle, 3, ENDS)
{
    if (rank == 0) {
        receive(ANY, 1);
        send(1, 1);
    } else if (rank == 1)
        receive(0, 1);
    else {
        compute(2);
        send(0, 1);
    }
}

PROGRAM(probe_without_message, 2, HANGS)
{
    if (rank == 0)
        MPI_Probe(1, 1, W, IGNORE);
}

PROGRAM(probe_then_receive, 2, ENDS)
{
    if (rank == 0) {
        MPI_Probe(1, 1, W, IGNORE);
        receive(1, 1);
    } else {
        compute(2);
        send(0, 1);
    }
}

PROGRAM(probe_of_what_an_irecv_has, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request first = receiving(&data, 1, 1);
        MPI_Probe(1, 1, W, IGNORE);
        wait_for(first);
    } else
        send(0, 1);
}

PROGRAM(mprobe_takes_the_message, 2, HANGS)
{
    if (rank == 0) {
        MPI_Message message;
        MPI_Mprobe(1, 1, W, &message, IGNORE);
        receive(1, 1);
        MPI_Mrecv(&data, 1, MPI_INT, &message, IGNORE);
    } else
        send(0, 1);
}

PROGRAM(iprobe_for_ever, 2, HANGS)
{
    int found = 0;
    while (rank == 0 && !found)
        MPI_Iprobe(1, 1, W, &found, IGNORE);
}

PROGRAM(test_for_ever, 2, HANGS)
{
    int done = 0;
    MPI_Request request = rank == 0 ? receiving(&data, 1, 1) : MPI_REQUEST_NULL;
    while (!done)
        MPI_Test(&request, &done, IGNORE);
}

PROGRAM(test_while_it_computes, 2, ENDS)
{
    int done;
    MPI_Request request = receiving(&data, 1 - rank, 1);
    for (int i = 0; i < 200; i++) {
        compute(0.05);
        MPI_Test(&request, &done, IGNORE);
        if (done)
            break;
    }
    send(1 - rank, 1);
    wait_for(request);
}

PROGRAM(waitany_of_none, 3, HANGS)
{
    if (rank == 0) {
        int index;
        MPI_Request both[2] = {receiving(&data, 1, 1), receiving(&other_data, 2, 1)};
        MPI_Waitany(2, both, &index, IGNORE);
    } else
        receive(0, 1);
}

PROGRAM(waitany_of_one, 3, ENDS)
{
    if (rank == 0) {
        int index;
        MPI_Request both[2] = {receiving(&data, 1, 1), receiving(&other_data, 2, 1)};
        MPI_Waitany(2, both, &index, IGNORE);
        send(1, 1);
        MPI_Waitany(2, both, &index, IGNORE);
    } else if (rank == 1) {
        receive(0, 1);
        send(0, 1);
    } else {
        compute(2);
        send(0, 1);
    }
}

PROGRAM(waitall_of_some, 3, HANGS)
{
    if (rank == 0) {
        MPI_Request both[2] = {receiving(&data, 1, 1), receiving(&other_data, 2, 1)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else if (rank == 1)
        send(0, 1);
}

PROGRAM(wait_for_the_other_request, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request never = receiving(&data, 1, 1), soon = receiving(&other_data, 1, 2);
        wait_for(never);
        wait_for(soon);
    } else
        send(0, 2);
}

PROGRAM(persistent_receive_twice_one_message, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Recv_init(&data, 1, MPI_INT, 1, 1, W, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, IGNORE);
        }
    } else
        send(0, 1);
}

PROGRAM(persistent_receive_twice_two_messages, 2, ENDS)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Recv_init(&data, 1, MPI_INT, 1, 1, W, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, IGNORE);
        }
        MPI_Request_free(&request);
    } else {
        send(0, 1);
        compute(2);
        send(0, 1);
    }
}

PROGRAM(receive_from_itself, 2, HANGS)
{
    if (rank == 0)
        receive(0, 1);
}

PROGRAM(receive_from_who_has_finished, 2, HANGS)
{
    if (rank == 0)
        receive(1, 1);
}

PROGRAM(large_isend_that_nobody_receives, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(large, MANY, MPI_CHAR, 1, 1, W, &request);
        wait_for(request);
    }
}

PROGRAM(given_up_receive_takes_it, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request request = receiving(&other_data, 1, 1);
        MPI_Request_free(&request);
        receive(1, 1);
    } else
        send(0, 1);
}

PROGRAM(cancelled_receive_leaves_it, 2, ENDS)
{
    if (rank == 0) {
        MPI_Request request = receiving(&other_data, 1, 1);
        MPI_Cancel(&request);
        wait_for(request);
        receive(1, 1);
    } else {
        compute(2);
        send(0, 1);
    }
}

// Collective calls.

PROGRAM(barrier_without_one, 3, HANGS)
{
    if (rank != 1)
        MPI_Barrier(W);
    else
        receive(0, 1);
}

PROGRAM(barrier_with_a_late_one, 3, ENDS)
{
    MPI_Barrier(W);
    if (rank == 1)
        compute(2.5);
    MPI_Barrier(W);
}

PROGRAM(bcast_without_its_root, 3, HANGS)
{
    if (rank != 0)
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
    else
        receive(1, 1);
}

PROGRAM(large_bcast_without_one, 2, HANGS)
{
    if (rank == 0)
        MPI_Bcast(large, MANY, MPI_CHAR, 0, W);
    else
        receive(0, 1);
}

PROGRAM(large_bcasts_of_different_roots, 2, HANGS)
{
    MPI_Bcast(large, MANY, MPI_CHAR, rank, W);
}

PROGRAM(gathers_of_different_roots, 2, HANGS)
{
    int all[2];
    MPI_Gather(&data, 1, MPI_INT, all, 1, MPI_INT, rank, W);
}

PROGRAM(gathers_of_different_sizes, 2, DEPENDS)
{
    int count = rank == 0 ? MANY / 64 : MANY / 128;
    MPI_Gather(large, count, MPI_CHAR, other_large, count, MPI_CHAR, 0, W);
    MPI_Barrier(W);
}

PROGRAM(reduces_of_different_sizes, 3, DEPENDS)
{
    static int mine[1 << 20], sum[1 << 20];
    MPI_Allreduce(mine, sum, rank == 0 ? 1 << 20 : 4, MPI_INT, MPI_SUM, W);
}

PROGRAM(barrier_and_allreduce, 3, DEPENDS)
{
    static int mine[1 << 20], sum[1 << 20];
    if (rank == 1)
        MPI_Allreduce(mine, sum, 1 << 20, MPI_INT, MPI_SUM, W);
    else
        MPI_Barrier(W);
}

PROGRAM(bcast_and_barrier_in_another_order, 2, DEPENDS)
{
    if (rank == 0) {
        MPI_Bcast(large, MANY, MPI_CHAR, 0, W);
        MPI_Barrier(W);
    } else {
        MPI_Barrier(W);
        MPI_Bcast(large, MANY, MPI_CHAR, 0, W);
    }
}

PROGRAM(small_bcast_and_barrier_in_another_order, 2, DEPENDS)
{
    if (rank == 0) {
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
        MPI_Barrier(W);
    } else {
        MPI_Barrier(W);
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
    }
}

PROGRAM(barrier_and_ibarrier, 2, DEPENDS)
{
    if (rank == 0)
        MPI_Barrier(W);
    else {
        MPI_Request request;
        MPI_Ibarrier(W, &request);
        wait_for(request);
    }
}

PROGRAM(scan_and_iscan, 2, DEPENDS)
{
    if (rank == 0)
        MPI_Scan(&data, &other_data, 1, MPI_INT, MPI_SUM, W);
    else {
        MPI_Request request;
        MPI_Iscan(&data, &other_data, 1, MPI_INT, MPI_SUM, W, &request);
        wait_for(request);
    }
}

PROGRAM(iallreduce_without_one, 3, HANGS)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank != 2)
        MPI_Iallreduce(&data, &other_data, 1, MPI_INT, MPI_SUM, W, &request);
    wait_for(request);
}

PROGRAM(iallreduce_with_a_late_one, 3, ENDS)
{
    MPI_Request request;
    if (rank == 2)
        compute(2.5);
    MPI_Iallreduce(&data, &other_data, 1, MPI_INT, MPI_SUM, W, &request);
    wait_for(request);
}

PROGRAM(two_communicators_in_another_order, 2, HANGS)
{
    MPI_Comm both[2];
    MPI_Comm_dup(W, &both[0]);
    MPI_Comm_dup(W, &both[1]);
    MPI_Barrier(both[rank]);
    MPI_Barrier(both[1 - rank]);
}

PROGRAM(communicators_of_their_own, 4, ENDS)
{
    MPI_Comm half;
    MPI_Comm_split(W, rank / 2, rank, &half);
    for (int i = 0; i < 10; i++) {
        if (rank == 3)
            compute(0.25);
        MPI_Allreduce(&data, &other_data, 1, MPI_INT, MPI_SUM, half);
    }
    MPI_Comm_free(&half);
}

PROGRAM(split_without_one, 3, HANGS)
{
    MPI_Comm half;
    if (rank != 2)
        MPI_Comm_split(W, 0, rank, &half);
}

PROGRAM(dup_and_barrier, 2, DEPENDS)
{
    MPI_Comm dup;
    if (rank == 0)
        MPI_Comm_dup(W, &dup);
    else
        MPI_Barrier(W);
}

PROGRAM(alltoall_without_one, 3, HANGS)
{
    int all[3] = {0}, got[3];
    if (rank != 0)
        MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, W);
    else
        receive(1, 1);
}

PROGRAM(reduce_scatter_without_one, 3, HANGS)
{
    int all[3] = {0};
    if (rank != 0)
        MPI_Reduce_scatter_block(all, &data, 1, MPI_INT, MPI_SUM, W);
    else
        receive(1, 1);
}

PROGRAM(reduce_at_its_root_without_one, 3, HANGS)
{
    if (rank != 2)
        MPI_Reduce(&data, &other_data, 1, MPI_INT, MPI_SUM, 0, W);
    else
        receive(0, 1);
}

PROGRAM(neighbors_without_one, 3, HANGS)
{
    int sizes[1] = {size}, periods[1] = {1}, all[2] = {0}, got[2];
    MPI_Comm ring;
    MPI_Cart_create(W, 1, sizes, periods, 0, &ring);
    if (rank != 2)
        MPI_Neighbor_alltoall(all, 1, MPI_INT, got, 1, MPI_INT, ring);
    else
        receive(0, 1);
}

PROGRAM(collectives_over_and_over, 3, ENDS)
{
    int all[3], got[3];
    for (int i = 0; i < 100; i++) {
        if (rank == i % 3)
            compute(0.02);
        MPI_Bcast(&data, 1, MPI_INT, i % 3, W);
        MPI_Reduce(&data, &other_data, 1, MPI_INT, MPI_SUM, i % 3, W);
        MPI_Gather(&data, 1, MPI_INT, all, 1, MPI_INT, i % 3, W);
        MPI_Scatter(all, 1, MPI_INT, &data, 1, MPI_INT, i % 3, W);
        MPI_Allgather(&data, 1, MPI_INT, all, 1, MPI_INT, W);
        MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, W);
        MPI_Scan(&data, &other_data, 1, MPI_INT, MPI_SUM, W);
        MPI_Reduce_scatter_block(all, &data, 1, MPI_INT, MPI_SUM, W);
    }
}

// Communicators of several groups.

static MPI_Comm half_of_the_world(void)
{
    MPI_Comm half;
    MPI_Comm_split(W, rank % 2, rank, &half);
    return half;
}

PROGRAM(half_an_intercommunicator, 4, HANGS)
{
    MPI_Comm half = half_of_the_world(), both;
    if (rank % 2 == 0)
        MPI_Intercomm_create(half, 0, W, 1, 1, &both);
}

PROGRAM(intercommunicator, 4, ENDS)
{
    MPI_Comm half = half_of_the_world(), both, merged;
    if (rank % 2 == 1)
        compute(2);
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &both);
    MPI_Barrier(both);
    MPI_Intercomm_merge(both, rank % 2, &merged);
    MPI_Allreduce(&data, &other_data, 1, MPI_INT, MPI_SUM, merged);
}

PROGRAM(intercommunicator_barrier_without_one, 4, HANGS)
{
    MPI_Comm half = half_of_the_world(), both;
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &both);
    if (rank != 3)
        MPI_Barrier(both);
    else
        receive(0, 1);
}

PROGRAM(group_without_one, 3, HANGS)
{
    MPI_Group all, two;
    MPI_Comm pair;
    int ranks[2] = {0, 1};
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 2, ranks, &two);
    if (rank == 0)
        MPI_Comm_create_group(W, two, 1, &pair);
    if (rank == 1)
        receive(0, 1);
}

// Windows.

static MPI_Win window_of(int *memory)
{
    MPI_Win window;
    MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, W, &window);
    return window;
}

PROGRAM(one_fence_less, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

PROGRAM(fence_and_barrier, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0)
        MPI_Win_fence(0, window);
    MPI_Barrier(W);
    if (rank == 1)
        MPI_Win_fence(0, window);
}

PROGRAM(fences, 2, ENDS)
{
    MPI_Win window = window_of(&data);
    for (int i = 0; i < 20; i++) {
        if (rank == 1)
            compute(0.1);
        MPI_Win_fence(0, window);
        MPI_Put(&other_data, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

PROGRAM(window_freed_by_one, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0)
        MPI_Win_free(&window);
    else
        receive(0, 1);
}

PROGRAM(window_made_by_one, 2, HANGS)
{
    if (rank == 0)
        window_of(&data);
    else
        receive(0, 1);
}

static MPI_Group only(int whom)
{
    MPI_Group all, one;
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, &whom, &one);
    return one;
}

PROGRAM(post_without_start, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_post(only(1), 0, window);
        MPI_Win_wait(window);
    } else
        MPI_Barrier(W);
}

PROGRAM(start_without_post, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_start(only(1), 0, window);
        MPI_Put(&other_data, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else
        receive(0, 1);
}

PROGRAM(start_and_post, 2, ENDS)
{
    MPI_Win window = window_of(&data);
    for (int i = 0; i < 10; i++)
        if (rank == 0) {
            MPI_Win_start(only(1), 0, window);
            MPI_Put(&other_data, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
            MPI_Win_complete(window);
        } else {
            compute(0.2);
            MPI_Win_post(only(0), 0, window);
            MPI_Win_wait(window);
        }
    MPI_Win_free(&window);
}

PROGRAM(lock_over_a_barrier, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&other_data, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        send(1, 1);
        MPI_Barrier(W);
        MPI_Win_unlock(1, window);
    } else {
        receive(0, 1);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&other_data, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
        MPI_Barrier(W);
    }
}

PROGRAM(locks_in_turn, 3, ENDS)
{
    MPI_Win window = window_of(&data);
    for (int i = 0; i < 20; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&other_data, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        compute(0.02);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

// Files.

static MPI_File file_of(const char *name)
{
    char path[200];
    MPI_File file;
    snprintf(path, sizeof path, "/tmp/overhear-verdicts-%s-%d", name, (int)getuid());
    MPI_File_open(W, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    return file;
}

PROGRAM(file_opened_by_one, 2, HANGS)
{
    if (rank == 0)
        file_of("one");
    else
        receive(0, 1);
}

PROGRAM(write_all_without_one, 2, DEPENDS)
{
    MPI_File file = file_of("all");
    if (rank == 0)
        MPI_File_write_all(file, large, MANY, MPI_CHAR, IGNORE);
    else
        receive(0, 1);
    MPI_File_close(&file);
}

PROGRAM(write_all, 2, ENDS)
{
    MPI_File file = file_of("both");
    for (int i = 0; i < 10; i++) {
        if (rank == 1)
            compute(0.2);
        MPI_File_write_at_all(file, (MPI_Offset)rank * MANY, large, MANY, MPI_CHAR, IGNORE);
    }
    MPI_File_close(&file);
}

// Threads.

static void *serve(void *nothing)
{
    receive(ANY, 9);
    return nothing;
}

THREADED(service_threads, 2, ENDS)
{
    pthread_t thread;
    MPI_Barrier(W);
    pthread_create(&thread, 0, serve, 0);
    compute(3);
    MPI_Send(&other_data, 1, MPI_INT, 1 - rank, 9, W);
    pthread_join(thread, 0);
}

static void *send_later(void *nothing)
{
    rest(4);
    MPI_Send(&other_data, 1, MPI_INT, 1 - rank, 1, W);
    return nothing;
}

THREADED(threads_that_send_later, 2, ENDS)
{
    pthread_t thread;
    MPI_Barrier(W);
    pthread_create(&thread, 0, send_later, 0);
    receive(1 - rank, 1);
    pthread_join(thread, 0);
}

static void *receive_too(void *nothing)
{
    MPI_Recv(&other_data, 1, MPI_INT, 1 - rank, 2, W, IGNORE);
    return nothing;
}

THREADED(threads_that_all_receive, 2, HANGS)
{
    pthread_t thread;
    MPI_Barrier(W);
    pthread_create(&thread, 0, receive_too, 0);
    receive(1 - rank, 1);
    pthread_join(thread, 0);
}

static void *compute_only(void *nothing)
{
    compute(3);
    return nothing;
}

PROGRAM(threads_that_compute_only, 2, HANGS)
{
    pthread_t thread;
    pthread_create(&thread, 0, compute_only, 0);
    receive(1 - rank, 1);
    pthread_join(thread, 0);
}

// What processes do besides.

PROGRAM(sleeps, 2, ENDS)
{
    MPI_Barrier(W);
    if (rank == 1)
        rest(4);
    MPI_Barrier(W);
}

PROGRAM(computes, 2, ENDS)
{
    MPI_Barrier(W);
    compute(4);
    MPI_Barrier(W);
}

PROGRAM(reads, 2, ENDS)
{
    char path[200], letter;
    snprintf(path, sizeof path, "/tmp/overhear-verdicts-fifo-%d", (int)getppid());
    MPI_Barrier(W);
    if (rank == 0) {
        mkfifo(path, 0600);
        int fifo = open(path, O_RDWR);
        if (fork() == 0) {
            rest(4);
            _exit(write(fifo, "x", 1) == 1 ? 0 : 1);
        }
        if (read(fifo, &letter, 1) != 1)
            abort();
        unlink(path);
    }
    MPI_Barrier(W);
}

PROGRAM(aborts, 3, ENDS)
{
    if (rank == 1) {
        compute(2);
        MPI_Abort(W, 0);
    }
    MPI_Barrier(W);
}

PROGRAM(exits_without_finalize, 2, ENDS)
{
    if (rank == 1) {
        compute(2);
        _exit(1);
    }
    receive(1, 1);
}

PROGRAM(finalizes_late, 3, ENDS)
{
    if (rank == 2)
        rest(3);
}

PROGRAM(works_on_after_the_end, 2, ENDS)
{
    MPI_Finalize();
    rest(2);
    exit(0);
}

PROGRAM(master_and_workers, 3, ENDS)
{
    if (rank == 0) {
        for (int left = 20; left > 0; left--) {
            MPI_Status status;
            MPI_Probe(ANY, MPI_ANY_TAG, W, &status);
            MPI_Recv(&data, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, W, IGNORE);
            send(status.MPI_SOURCE, 2);
        }
    } else
        for (int i = 0; i < 10; i++) {
            compute(0.2);
            send(0, 1);
            receive(0, 2);
        }
}

PROGRAM(halo, 4, ENDS)
{
    int from[2];
    for (int i = 0; i < 100; i++) {
        MPI_Request all[4];
        MPI_Irecv(&from[0], 1, MPI_INT, before(), 1, W, &all[0]);
        MPI_Irecv(&from[1], 1, MPI_INT, next(), 2, W, &all[1]);
        MPI_Isend(&data, 1, MPI_INT, next(), 1, W, &all[2]);
        MPI_Isend(&data, 1, MPI_INT, before(), 2, W, &all[3]);
        compute(0.02);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    }
}

// Processes that come later.

static const char *path_of_this;

// One more process that runs the same program: in it, what spawned it is the parent.
static MPI_Comm with_a_child(char *name)
{
    MPI_Comm parent, child;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return parent;
    char *arguments[] = {name, 0};
    MPI_Comm_spawn(path_of_this, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    return child;
}

PROGRAM(parent_and_child_receive, 1, DEPENDS)
{
    MPI_Recv(&data, 1, MPI_INT, 0, 1, with_a_child("parent_and_child_receive"), IGNORE);
}

PROGRAM(child_sends_to_its_parent, 1, ENDS)
{
    MPI_Comm parent, other = with_a_child("child_sends_to_its_parent");
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Recv(&data, 1, MPI_INT, 0, 1, other, IGNORE);
    else {
        compute(2);
        MPI_Send(&data, 1, MPI_INT, 0, 1, other);
    }
    MPI_Comm_disconnect(&other);
}

PROGRAM(accept_without_connect, 2, DEPENDS)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    } else
        receive(0, 1);
}

PROGRAM(accept_and_connect, 2, ENDS)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, sizeof port, MPI_CHAR, 1, 1, W);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    } else {
        MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, W, IGNORE);
        compute(2);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    MPI_Comm_disconnect(&other);
}

// What breaks a rule and ends all the same, and what is right and looks as if it did not end.

PROGRAM(operations_that_differ, 2, ENDS)
{
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(&data, &other_data, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, W);
        compute(0.1);
    }
}

PROGRAM(types_of_one_size, 2, ENDS)
{
    for (int i = 0; i < 20; i++) {
        MPI_Bcast(&data, rank == 0 ? 1 : 4, rank == 0 ? MPI_INT : MPI_CHAR, 0, W);
        compute(0.1);
    }
    MPI_Barrier(W);
}

PROGRAM(small_sends_that_nobody_receives, 2, ENDS)
{
    send(1 - rank, 1);
    compute(2);
    MPI_Barrier(W);
}

PROGRAM(polls_with_rests, 2, ENDS)
{
    int flag = 0;
    if (rank == 0) {
        MPI_Request request = receiving(&data, 1, 1);
        while (!flag) {
            rest(0.01);
            MPI_Test(&request, &flag, IGNORE);
        }
    } else {
        compute(4);
        send(0, 1);
    }
}

static void *compute_long(void *nothing)
{
    compute(4);
    return nothing;
}

PROGRAM(others_compute_and_main_threads_join, 2, ENDS)
{
    pthread_t thread;
    MPI_Barrier(W);
    if (rank == 0) {
        pthread_create(&thread, 0, compute_long, 0);
        pthread_join(thread, 0);
    }
    MPI_Barrier(W);
}

PROGRAM(synchronous_isend_that_is_received_late, 2, ENDS)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Issend(&data, 1, MPI_INT, 1, 1, W, &request);
        wait_for(request);
    } else {
        compute(3);
        receive(0, 1);
    }
}

PROGRAM(workers_without_a_last_message, 3, HANGS)
{
    if (rank > 0)
        for (;;)
            receive(0, MPI_ANY_TAG);
    for (int i = 0; i < 10; i++) {
        send(1, 1);
        send(2, 1);
    }
}

PROGRAM(synchronous_isends_unmatched, 2, HANGS)
{
    MPI_Request request;
    MPI_Issend(&data, 1, MPI_INT, 1 - rank, 1, W, &request);
    MPI_Barrier(W);
    wait_for(request);
}

PROGRAM(message_of_another_tag_behind_a_barrier, 2, HANGS)
{
    if (rank == 0) {
        MPI_Barrier(W);
        receive(1, 2);
    } else {
        MPI_Barrier(W);
        send(0, 1);
        receive(0, 2);
    }
}

PROGRAM(replaced_in_a_broken_ring, 3, HANGS)
{
    int from = rank == 2 ? 0 : before();
    MPI_Sendrecv_replace(&data, 1, MPI_INT, next(), 1, from, 1, W, IGNORE);
}

PROGRAM(leaders_that_are_wrong, 4, HANGS)
{
    MPI_Comm half, inter;
    MPI_Comm_split(W, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, W, rank < 2 ? 2 : 1, 7, &inter);
}

PROGRAM(barriers_of_two_communicators_crossed, 2, HANGS)
{
    MPI_Comm other;
    MPI_Comm_dup(W, &other);
    MPI_Barrier(rank == 0 ? W : other);
    MPI_Barrier(rank == 0 ? other : W);
}

PROGRAM(one_more_barrier_in_a_loop, 3, HANGS)
{
    for (int i = 0; i < 100 + (rank == 1); i++)
        MPI_Barrier(W);
}

PROGRAM(waitsome_of_none, 2, HANGS)
{
    MPI_Request requests[2] = {receiving(&data, 1 - rank, 1), receiving(&other_data, 1 - rank, 2)};
    int count, which[2];
    MPI_Waitsome(2, requests, &count, which, MPI_STATUSES_IGNORE);
}

PROGRAM(window_locked_by_all_and_left, 2, HANGS)
{
    MPI_Win window;
    MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, W, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(&other_data, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
    receive(1 - rank, 1);
}

// What the public collections of MPI bugs have besides.

PROGRAM(sends_of_64_kib_first, 2, DEPENDS)
{
    MPI_Send(large, 1 << 16, MPI_CHAR, 1 - rank, 1, W);
    MPI_Recv(other_large, 1 << 16, MPI_CHAR, 1 - rank, 1, W, IGNORE);
}

PROGRAM(any_takes_what_the_next_receive_needs, 3, HANGS)
{
    if (rank == 2)
        compute(1);
    if (rank == 0) {
        receive(ANY, 1);
        receive(1, 1);
    } else
        send(0, 1);
}

// A receive that stays pending beside waits whose requests are partly null.
PROGRAM(waitall_with_null_requests, 2, ENDS)
{
    enum { TIMES = 100 };
    if (rank == 0) {
        MPI_Request stop = receiving(&other_data, 1, 9), both[2];
        for (int i = 0; i < TIMES; i++) {
            both[0] = MPI_REQUEST_NULL;
            MPI_Irecv(other_large, MANY, MPI_CHAR, 1, 1, W, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            send(1, 2);
        }
        wait_for(stop);
    } else {
        for (int i = 0; i < TIMES; i++) {
            MPI_Request request;
            MPI_Isend(large, MANY, MPI_CHAR, 0, 1, W, &request);
            receive(0, 2);
            wait_for(request);
        }
        send(0, 9);
    }
}

PROGRAM(testsome_for_ever, 2, HANGS)
{
    int count = 0, which[2];
    MPI_Request both[2] = {receiving(&data, 1 - rank, 1), receiving(&other_data, 1 - rank, 2)};
    while (count == 0)
        MPI_Testsome(2, both, &count, which, MPI_STATUSES_IGNORE);
}

PROGRAM(status_asked_for_ever, 2, HANGS)
{
    int done = 0;
    MPI_Request request = receiving(&data, 1 - rank, 1);
    while (!done)
        MPI_Request_get_status(request, &done, IGNORE);
}

PROGRAM(irecv_after_a_cancelled_one, 2, HANGS)
{
    MPI_Request request = receiving(&other_data, 1 - rank, 1);
    MPI_Cancel(&request);
    wait_for(request);
    wait_for(receiving(&data, 1 - rank, 2));
}

PROGRAM(message_behind_a_cancelled_receive, 3, ENDS)
{
    if (rank == 0) {
        MPI_Request request = receiving(&other_data, 1, 1), both[2];
        MPI_Cancel(&request);
        wait_for(request);
        MPI_Barrier(W);
        both[0] = receiving(&data, 1, 1);
        both[1] = receiving(&other_data, 2, 1);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        send(1, 2);
    } else {
        MPI_Barrier(W);
        if (rank == 2)
            compute(3);
        send(0, 1);
        if (rank == 1)
            receive(0, 2);
    }
}

PROGRAM(large_isend_left_when_it_finalizes, 2, DEPENDS)
{
    MPI_Request request;
    MPI_Isend(large, MANY, MPI_CHAR, 1 - rank, 1, W, &request);
}

#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION >= 5
static void partitions(int ready)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(large, 2, 1024, MPI_CHAR, 1, 1, W, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(large, 2, 1024, MPI_CHAR, 0, 1, W, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        for (int part = 0; rank == 0 && part < ready; part++) {
            compute(0.5);
            MPI_Pready(part, request);
        }
        MPI_Wait(&request, IGNORE);
    }
    MPI_Request_free(&request);
}

static void of_a_session(int ranks)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    if (rank < ranks) {
        MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
        if (rank == 1)
            compute(2);
        MPI_Barrier(all);
        MPI_Comm_free(&all);
    }
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}
#else
static void partitions(int ready)
{
    (void)ready;
}

static void of_a_session(int ranks)
{
    (void)ranks;
}
#endif

PROGRAM(partitions_not_all_ready, 2, DEPENDS)
{
    partitions(1);
}

PROGRAM(partitions_all_ready, 2, ENDS)
{
    partitions(2);
}

PROGRAM(session, 3, ENDS)
{
    of_a_session(3);
}

PROGRAM(session_without_one, 3, DEPENDS)
{
    of_a_session(2);
}

// Errors that MPI returns.

PROGRAM(send_that_fails, 2, HANGS)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == 0)
        send(7, 1);
    else
        receive(0, 1);
}

PROGRAM(bcast_that_fails, 2, HANGS)
{
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Bcast(&data, 1, MPI_INT, 7, W);
    else
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
}

// Errors by which MPI ends the run.

PROGRAM(invalid_root_ends_it, 2, ENDS)
{
    compute(0.5 * rank);
    MPI_Bcast(&data, 1, MPI_INT, rank == 0 ? 1 : 7, W);
    receive(1 - rank, 1);
}

PROGRAM(invalid_root_of_gather_ends_it, 3, ENDS)
{
    int all[3];
    compute(0.5 * rank);
    MPI_Gather(&data, 1, MPI_INT, all, 1, MPI_INT, rank == 1 ? 7 : 0, W);
    MPI_Barrier(W);
}

PROGRAM(invalid_rank_ends_it, 2, ENDS)
{
    if (rank == 0) {
        compute(0.5);
        send(7, 1);
    } else
        receive(0, 1);
}

PROGRAM(truncation_ends_it, 2, ENDS)
{
    int two[2] = {0};
    if (rank == 0) {
        compute(0.5);
        MPI_Send(two, 2, MPI_INT, 1, 1, W);
        receive(1, 2);
    } else {
        receive(0, 1);
        send(0, 2);
    }
}

PROGRAM(crash_ends_it, 2, ENDS)
{
    if (rank == 1) {
        compute(1);
        abort();
    }
    receive(1, 1);
}

PROGRAM(exit_of_zero_without_finalize, 3, DEPENDS)
{
    if (rank == 1)
        exit(0);
    MPI_Barrier(W);
}

// More collective calls.

PROGRAM(exscan_without_the_first, 3, HANGS)
{
    if (rank > 0)
        MPI_Exscan(&data, &other_data, 1, MPI_INT, MPI_SUM, W);
    else
        receive(1, 1);
}

PROGRAM(gather_and_bcast, 3, DEPENDS)
{
    int all[3];
    if (rank == 0)
        MPI_Gather(&data, 1, MPI_INT, all, 1, MPI_INT, 0, W);
    else
        MPI_Bcast(&data, 1, MPI_INT, 0, W);
    MPI_Barrier(W);
}

PROGRAM(reduce_and_allreduce, 2, DEPENDS)
{
    if (rank == 0)
        MPI_Reduce(&data, &other_data, 1, MPI_INT, MPI_SUM, 0, W);
    else
        MPI_Allreduce(&data, &other_data, 1, MPI_INT, MPI_SUM, W);
    MPI_Barrier(W);
}

PROGRAM(types_of_other_sizes, 2, DEPENDS)
{
    long long mine[2] = {0}, all[4];
    MPI_Allgather(mine, 1, rank == 0 ? MPI_INT : MPI_LONG_LONG, all, 1, rank == 0 ? MPI_INT : MPI_LONG_LONG, W);
    MPI_Barrier(W);
}

static void make_of_two(int one, int other)
{
    MPI_Group all, two;
    MPI_Comm pair;
    int ranks[2] = {one, other};
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 2, ranks, &two);
    MPI_Comm_create_group(W, two, 1, &pair);
}

PROGRAM(groups_in_a_circle, 3, HANGS)
{
    make_of_two(rank, next());
}

PROGRAM(groups_side_by_side, 4, ENDS)
{
    if (rank == 3)
        compute(13);
    make_of_two(rank / 2 * 2, rank / 2 * 2 + 1);
}

PROGRAM(leaders_with_other_tags, 2, HANGS)
{
    MPI_Comm both;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, W, 1 - rank, rank, &both);
}

PROGRAM(merge_without_one, 4, HANGS)
{
    MPI_Comm half = half_of_the_world(), both, merged;
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &both);
    if (rank != 2)
        MPI_Intercomm_merge(both, rank % 2, &merged);
    else
        receive(0, 1);
}

PROGRAM(message_to_another_of_the_other_group, 4, HANGS)
{
    MPI_Comm half = half_of_the_world(), both;
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &both);
    if (rank == 0)
        MPI_Send(&data, 1, MPI_INT, 0, 1, both);
    if (rank == 3)
        MPI_Recv(&data, 1, MPI_INT, 0, 1, both, IGNORE);
}

PROGRAM(bcast_between_groups_without_its_root, 4, HANGS)
{
    MPI_Comm half = half_of_the_world(), both;
    MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &both);
    if (rank % 2 == 1)
        MPI_Bcast(&data, 1, MPI_INT, 0, both);
    else
        receive(1, 1);
}

PROGRAM(neighbors_that_disagree, 3, HANGS)
{
    MPI_Comm graph;
    int source = before(), destination = next(), got[2];
    MPI_Dist_graph_create_adjacent(W, rank != 1, &source, MPI_UNWEIGHTED, rank == 2, &destination, MPI_UNWEIGHTED,
        MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&data, 1, MPI_INT, got, 1, MPI_INT, graph);
}

PROGRAM(neighbors_of_a_late_one, 3, ENDS)
{
    MPI_Comm graph;
    int source = before(), destination = next(), got[2];
    MPI_Dist_graph_create_adjacent(W, 1, &source, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
        &graph);
    for (int i = 0; i < 5; i++) {
        if (rank == i % 3)
            compute(0.5);
        MPI_Neighbor_allgather(&data, 1, MPI_INT, got, 1, MPI_INT, graph);
    }
}

// More windows.

PROGRAM(fence_without_one, 3, HANGS)
{
    MPI_Win window = window_of(&data);
    MPI_Win_fence(0, window);
    if (rank != 2)
        MPI_Win_fence(0, window);
    else
        receive(0, 1);
}

static void lock_and_put(int target, MPI_Win window)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    MPI_Put(&other_data, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
}

PROGRAM(locks_crosswise, 2, DEPENDS)
{
    MPI_Win window = window_of(&data);
    lock_and_put(rank, window);
    MPI_Barrier(W);
    lock_and_put(1 - rank, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_unlock(rank, window);
}

PROGRAM(lock_never_released, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 1)
        receive(0, 1);
    lock_and_put(1, window);
    if (rank == 0) {
        send(1, 1);
        receive(1, 2);
    }
}

PROGRAM(win_test_for_ever, 2, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_post(only(1), 0, window);
        for (int done = 0; !done;)
            MPI_Win_test(window, &done);
    } else
        MPI_Barrier(W);
}

PROGRAM(win_test_until_complete, 2, ENDS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_post(only(1), 0, window);
        for (int done = 0; !done;)
            MPI_Win_test(window, &done);
    } else {
        MPI_Win_start(only(0), 0, window);
        compute(3);
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
}

PROGRAM(start_to_who_posts_for_another, 3, HANGS)
{
    MPI_Win window = window_of(&data);
    if (rank == 0) {
        MPI_Win_post(only(1), 0, window);
        MPI_Win_wait(window);
    }
    if (rank == 2) {
        MPI_Win_start(only(0), 0, window);
        MPI_Put(&other_data, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
}

// Wildcards that have taken the message which a later receive wants, or one that it does not.

// Rank 1 sends to rank 0, and rank 2 does so once that message is there.
static void send_one_after_the_other(void)
{
    if (rank == 2) {
        receive(1, 2);
        rest(0.1);
    }
    send(0, 1);
    if (rank == 1)
        send(2, 2);
}

PROGRAM(irecv_from_any_takes_what_the_next_receive_needs, 3, HANGS)
{
    if (rank == 0) {
        MPI_Request first = receiving(&other_data, ANY, 1);
        receive(1, 1);
        wait_for(first);
    } else
        send_one_after_the_other();
}

PROGRAM(irecv_from_any_takes_what_the_next_receive_leaves, 3, ENDS)
{
    if (rank == 1)
        compute(3);
    if (rank == 0) {
        MPI_Request first = receiving(&other_data, ANY, 1);
        receive(1, 1);
        wait_for(first);
    } else
        send(0, 1);
}

PROGRAM(waitall_behind_a_wildcard_that_took_its_message, 3, HANGS)
{
    if (rank == 0) {
        MPI_Request both[2] = {receiving(&other_data, ANY, 1), receiving(&data, 1, 1)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else
        send_one_after_the_other();
}

PROGRAM(persistent_receive_that_was_freed_takes_it, 2, HANGS)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Recv_init(&other_data, 1, MPI_INT, 1, 1, W, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
        receive(1, 1);
    } else
        send(0, 1);
}

// A wait by a copy of the handle for an active persistent request that was freed: some libraries end the program, others wait for ever.
static MPI_Request freed_receiving(int tag)
{
    MPI_Request request, copy;
    MPI_Recv_init(&other_data, 1, MPI_INT, 1, tag, W, &request);
    copy = request;
    MPI_Start(&request);
    MPI_Request_free(&request);
    return copy;
}

PROGRAM(wait_for_a_persistent_receive_that_was_freed, 2, DEPENDS)
{
    if (rank == 0)
        wait_for(freed_receiving(1));
    else
        send(0, 1);
}

PROGRAM(waitall_of_a_receive_and_a_persistent_one_that_was_freed, 2, DEPENDS)
{
    if (rank == 0) {
        MPI_Request both[2] = {receiving(&data, 1, 1), freed_receiving(2)};
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else
        for (int tag = 1; tag <= 2; tag++)
            send(0, tag);
}

// Ranks that poll for what nobody sends, while a message lies there that nobody asks for.
static void poll_for_ever(int from, int tag)
{
    for (int there = 0; !there;)
        MPI_Iprobe(from, tag, W, &there, IGNORE);
}

PROGRAM(three_that_poll_and_a_message_of_another_tag, 3, HANGS)
{
    if (rank == 1)
        send(0, 8);
    poll_for_ever(rank == 0 ? 1 : 0, 7);
}

// All members of an intercommunicator merge it.
PROGRAM(merge_of_a_split_intercommunicator, 4, ENDS)
{
    MPI_Comm half, between, part, merged;
    MPI_Comm_split(W, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, W, rank < 2 ? 2 : 0, 1, &between);
    MPI_Comm_split(between, rank % 2, rank, &part);
    MPI_Intercomm_merge(part, rank < 2, &merged);
}

// A cause, and ranks that wait for it elsewhere.

PROGRAM(circle_beside_a_barrier, 4, HANGS)
{
    if (rank < 3) {
        receive((rank + 1) % 3, 1);
        send((rank + 2) % 3, 1);
    }
    MPI_Barrier(W);
}

// MPI ends these at once, by an error.

PROGRAM(too_many_communicators_end_it, 2, ENDS)
{
    for (MPI_Comm next;;)
        MPI_Comm_dup(W, &next);
}

PROGRAM(different_sizes_end_it, 2, DEPENDS)
{
    MPI_Bcast(large, rank == 0 ? MANY : 1, MPI_CHAR, 0, W);
    MPI_Barrier(W);
}

PROGRAM(call_after_the_end_ends_it, 2, ENDS)
{
    MPI_Finalize();
    MPI_Barrier(W);
    exit(0);
}

// The communicator that a rank makes alone gives the halves different numbers.
PROGRAM(halves_without_one, 4, HANGS)
{
    MPI_Comm alone, half;
    if (rank > 1)
        MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_split(W, rank / 2, rank, &half);
    if (rank % 2 == 0)
        MPI_Barrier(half);
    else
        receive(rank, 1);
}

int main(int argc, char **argv)
{
    path_of_this = argv[0];
    struct program *program = programs;
    while (program && (argc < 2 || strcmp(program->name, argv[1]) != 0))
        program = program->next;
    if (!program) {
        fprintf(stderr, "give the name of a program\n");
        return 2;
    }
    int provided;
    MPI_Init_thread(&argc, &argv, program->threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    program->run();
    MPI_Finalize();
    return 0;
}
