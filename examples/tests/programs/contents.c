/* Two ranks send each other what every constructor of datatypes describes, by every way there is. Each prints, in the order in which
   the recorder says it, what it hands out and gets: s or r, the other's rank in a collective call or -, bytes, and a CRC-32
   that it computes itself, from bytes that it has picked one by one without MPI. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, other;
static uint32_t crc = 0xffffffffu;
static long taken;

static void take(const void *from, size_t bytes)
{
    for (const unsigned char *at = from; bytes--; at++) {
        crc ^= *at;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        taken++;
    }
}

static void say(char way, int part)
{
    if (taken > 0) {
        char who[16] = "-";
        if (part >= 0)
            snprintf(who, sizeof who, "%d", part);
        printf("rank %d: %c %s %ld %08x\n", rank, way, who, taken, crc ^ 0xffffffffu);
    }
    crc = 0xffffffffu;
    taken = 0;
}

static void whole(char way, const void *from, size_t bytes)
{
    take(from, bytes);
    say(way, -1);
}

static void fill(void *into, size_t bytes, unsigned seed)
{
    for (size_t at = 0; at < bytes; at++)
        ((unsigned char *)into)[at] = (unsigned char)(at * 37 + at / 251 + seed * 91 + 13 * rank);
}

static char out[4096], in[4096];

/* Both send `count` of a type and receive as many bytes as they come; the caller says what the type picks. */
static void exchange(MPI_Datatype type, int count, int bytes)
{
    MPI_Request request;
    memset(in, 0, sizeof in);
    MPI_Irecv(in, sizeof in, MPI_BYTE, other, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, count, type, other, 1, MPI_COMM_WORLD);
    say('s', -1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    whole('r', in, bytes);
}

static void datatypes(void)
{
    MPI_Datatype type, inner;

    fill(out, sizeof out, 1);
    take(out, 1000);
    exchange(MPI_INT, 250, 1000);

    MPI_Type_vector(4, 2, 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int element = 0; element < 3; element++)
        for (int block = 0; block < 4; block++)
            take(out + element * 17 * 4 + block * 20, 8);
    exchange(type, 3, 96);
    /* Received into the same: the message ends in the midst of the second element. */
    MPI_Request request;
    memset(in, 0, sizeof in);
    MPI_Irecv(in, 3, type, other, 2, MPI_COMM_WORLD, &request);
    MPI_Send(out, 10, MPI_INT, other, 2, MPI_COMM_WORLD);
    whole('s', out, 40);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int block = 0; block < 4; block++)
        take(in + block * 20, 8);
    whole('r', in + 68, 8);

    /* Gapless, but not in order. */
    int lengths[] = {1, 1}, swapped[] = {1, 0};
    MPI_Type_indexed(2, lengths, swapped, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int element = 0; element < 5; element++) {
        take(out + element * 8 + 4, 4);
        take(out + element * 8, 4);
    }
    exchange(type, 5, 40);
    MPI_Type_free(&type);

    struct mixed { char c; double d; short s; };
    int ones[] = {1, 1, 1};
    MPI_Aint places[] = {offsetof(struct mixed, c), offsetof(struct mixed, d), offsetof(struct mixed, s)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Type_create_struct(3, ones, places, types, &inner);
    MPI_Type_create_resized(inner, 0, sizeof(struct mixed), &type);
    MPI_Type_commit(&type);
    for (int element = 0; element < 7; element++) {
        const char *at = out + element * sizeof(struct mixed);
        take(at, 1);
        take(at + places[1], 8);
        take(at + places[2], 2);
    }
    exchange(type, 7, 77);

    /* Vectors of structs. */
    MPI_Datatype nested;
    MPI_Type_create_hvector(3, 2, 100, type, &nested);
    MPI_Type_commit(&nested);
    for (int block = 0; block < 3; block++)
        for (int element = 0; element < 2; element++) {
            const char *at = out + block * 100 + element * sizeof(struct mixed);
            take(at, 1);
            take(at + places[1], 8);
            take(at + places[2], 2);
        }
    exchange(nested, 1, 66);
    MPI_Type_free(&nested);
    MPI_Type_free(&inner);
    MPI_Type_free(&type);

    int sizes[] = {6, 8}, parts[] = {3, 4}, starts[] = {2, 1};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int row = 0; row < 3; row++)
        take(out + ((2 + row) * 8 + 1) * 4, 16);
    exchange(type, 1, 48);
    MPI_Type_free(&type);

    MPI_Type_create_resized(MPI_INT, 0, 12, &type);
    MPI_Type_commit(&type);
    for (int element = 0; element < 9; element++)
        take(out + element * 12, 4);
    exchange(type, 9, 36);
    MPI_Type_free(&type);

    /* More than is packed at a time. */
    static char large[800000], largest[800000];
    fill(large, sizeof large, 5);
    MPI_Type_vector(1000, 100, 200, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(largest, 1, type, other, 3, MPI_COMM_WORLD, &request);
    MPI_Send(large, 1, type, other, 3, MPI_COMM_WORLD);
    for (int block = 0; block < 1000; block++)
        take(large + block * 800, 400);
    say('s', -1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int block = 0; block < 1000; block++)
        take(largest + block * 800, 400);
    say('r', -1);
    MPI_Type_free(&type);

    /* Absolute addresses, of the stack, of static and of allocated memory. */
    int *heap = malloc(40), stack[5];
    fill(heap, 40, 2);
    fill(stack, sizeof stack, 3);
    MPI_Aint addresses[3];
    MPI_Get_address(heap, &addresses[0]);
    MPI_Get_address(stack, &addresses[1]);
    MPI_Get_address(out, &addresses[2]);
    int counts[] = {10, 5, 4};
    MPI_Datatype ints[] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Type_create_struct(3, counts, addresses, ints, &type);
    MPI_Type_commit(&type);
    memset(in, 0, sizeof in);
    MPI_Irecv(in, sizeof in, MPI_BYTE, other, 4, MPI_COMM_WORLD, &request);
    MPI_Send(MPI_BOTTOM, 1, type, other, 4, MPI_COMM_WORLD);
    take(heap, 40);
    take(stack, 20);
    whole('s', out, 16);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    whole('r', in, 76);
    MPI_Type_free(&type);
    free(heap);
}

static void messages(void)
{
    MPI_Request requests[4];
    MPI_Status status;
    int flag = 0;

    fill(out, sizeof out, 4);
    for (int at = 0; at < 2; at++)
        MPI_Irecv(in + 100 * at, 100, MPI_BYTE, MPI_ANY_SOURCE, 10 + at, MPI_COMM_WORLD, &requests[at]);
    for (int at = 0; at < 2; at++) {
        MPI_Isend(out + 100 * at, 50 + at, MPI_BYTE, other, 10 + at, MPI_COMM_WORLD, &requests[2 + at]);
        whole('s', out + 100 * at, 50 + at);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    whole('r', in, 50);
    whole('r', in + 100, 51);

    MPI_Sendrecv(out, 60, MPI_BYTE, other, 20, in, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    whole('s', out, 60);
    whole('r', in, 60);
    take(out, 70);
    say('s', -1);
    MPI_Sendrecv_replace(out, 70, MPI_BYTE, other, 21, other, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    whole('r', out, 70);

#if MPI_VERSION >= 4 || defined OPEN_MPI && OMPI_MAJOR_VERSION >= 5
    /* MPICH does not say what the request received. */
    int is_said = 0;
#ifdef OPEN_MPI
    is_said = 1;
#endif
    fill(out, 80, 26);
    MPI_Isendrecv(out, 80, MPI_BYTE, other, 26, in, 100, MPI_BYTE, other, 26, MPI_COMM_WORLD, &requests[0]);
    whole('s', out, 80);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (is_said)
        whole('r', in, 80);
    whole('s', out, 64);
    MPI_Isendrecv_replace(out, 16, MPI_INT, other, 27, other, 27, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (is_said)
        whole('r', out, 64);
#endif

    MPI_Send_init(out, 30, MPI_BYTE, other, 22, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 40, MPI_BYTE, other, 22, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 3; round++) {
        fill(out, 30, 30 + round);
        if (round == 0) {
            MPI_Start(&requests[1]);
            MPI_Start(&requests[0]);
        } else
            MPI_Startall(2, requests);
        whole('s', out, 30);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        whole('r', in, 30);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Isend(out, 44, MPI_BYTE, other, 23, MPI_COMM_WORLD, &requests[0]);
    whole('s', out, 44);
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, 100, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    whole('r', in, 44);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Irecv(in, 100, MPI_BYTE, other, 24, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(out, 33, MPI_BYTE, other, 24, MPI_COMM_WORLD);
    whole('s', out, 33);
    while (!flag)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    whole('r', in, 33);

    /* Nothing moves. */
    MPI_Send(NULL, 0, MPI_INT, other, 25, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, other, 25, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 5, MPI_INT, MPI_PROC_NULL, 0, in, 5, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void each(char way, const char *from, int bytes)
{
    for (int part = 0; part < 2; part++) {
        take(from + part * bytes, bytes);
        say(way, part);
    }
}

static void collectives(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request;
    int root = rank == 0;

    fill(out, sizeof out, 6);
    MPI_Bcast(out, 25, MPI_INT, 0, world);
    whole(root ? 's' : 'r', out, 100);

    if (root) {
        memcpy(in, out, 12);
        MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, in, 3, MPI_INT, 0, world);
        each('r', in, 12);
    } else {
        MPI_Gather(out, 3, MPI_INT, NULL, 0, MPI_INT, 0, world);
        whole('s', out, 12);
    }
    int counts[] = {2, 5}, places[] = {9, 1};
    MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, world);
    whole('s', out, 4 * counts[rank]);
    for (int part = 0; root && part < 2; part++) {
        take(in + 4 * places[part], 4 * counts[part]);
        say('r', part);
    }
    MPI_Scatter(out, 4, MPI_INT, in, 4, MPI_INT, 1, world);
    if (!root)
        each('s', out, 16);
    whole('r', in, 16);

    fill(in, 24, 7);
    take(in + 12 * rank, 12);
    say('s', -1);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 3, MPI_INT, world);
    each('r', in, 12);

    MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, world);
    each('s', out, 12);
    each('r', in, 12);
    take(in, 12), say('s', 0), take(in + 12, 12), say('s', 1);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 3, MPI_INT, world);
    each('r', in, 12);

    /* Rank r sends r + p ints to rank p. */
    int sent[] = {rank, rank + 1}, from[] = {7, 2}, got[] = {rank, rank + 1}, to[] = {3, 20};
    MPI_Ialltoallv(out, sent, from, MPI_INT, in, got, to, MPI_INT, world, &request);
    for (int part = 0; part < 2; part++)
        take(out + 4 * from[part], 4 * sent[part]), say('s', part);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int part = 0; part < 2; part++)
        take(in + 4 * to[part], 4 * got[part]), say('r', part);

    MPI_Datatype strided, kinds[2];
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    kinds[0] = MPI_INT, kinds[1] = strided;
    /* The type is that of the receiver's rank on one side and of the sender's on the other: strided goes to and comes from rank 1. */
    int twice[] = {2, 1}, bytes[] = {16, 40};
    MPI_Datatype theirs[2] = {rank ? strided : MPI_INT, rank ? strided : MPI_INT};
    int number[2] = {rank ? 1 : 2, rank ? 1 : 2};
    MPI_Alltoallw(out, twice, bytes, kinds, in, number, bytes, theirs, world);
    take(out + 16, 8), say('s', 0);
    take(out + 40, 4), take(out + 48, 4), say('s', 1);
    for (int part = 0; part < 2; part++) {
        take(in + bytes[part], 4);
        take(in + bytes[part] + (rank ? 8 : 4), 4);
        say('r', part);
    }
    MPI_Type_free(&strided);

    int mine[4] = {rank + 1, rank + 2, 3, 4}, all[4] = {0, 0, 0, 0};
    MPI_Reduce(mine, all, 4, MPI_INT, MPI_SUM, 0, world);
    whole('s', mine, 16);
    if (root)
        whole('r', all, 16);
    whole('s', mine, 16);
    MPI_Allreduce(MPI_IN_PLACE, mine, 4, MPI_INT, MPI_SUM, world);
    whole('r', mine, 16);
    MPI_Scan(mine, all, 4, MPI_INT, MPI_SUM, world);
    whole('s', mine, 16);
    whole('r', all, 16);
    MPI_Exscan(mine, all, 4, MPI_INT, MPI_SUM, world);
    whole('s', mine, 16);
    if (!root)
        whole('r', all, 16);
    int parts[] = {1, 3};
    MPI_Reduce_scatter(mine, all, parts, MPI_INT, MPI_SUM, world);
    take(mine, 4), say('s', 0), take(mine + 1, 12), say('s', 1);
    whole('r', all, 4 * parts[rank]);
    MPI_Barrier(world);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    datatypes();
    messages();
    collectives();
    MPI_Finalize();
    return 0;
}
