// Names regions by NVTX in all its ways: pushed and popped, in a domain of their own, begun on one thread and ended on another; by
// names that are narrow, wide and registered. In each, rank 0 sends itself as many messages as its place in the list below.
// run: -n 1
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

static void exchange(int messages)
{
    for (int n = 0; n < messages; n++) {
        int out = n, in;
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
}

static void *end(void *range)
{
    nvtxRangeEnd(*(nvtxRangeId_t *)range);
    return NULL;
}

int main(int argc, char **argv)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    nvtxRangePushA("too early");
    MPI_Init(&argc, &argv);
    nvtxRangePop();
    nvtxRangePushA("pushed");
    exchange(1);
    nvtxRangePushW(L"weit \u00e4u\u00dfen");
    exchange(2);
    nvtxRangePop();
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "attributes";
    nvtxRangePushEx(&attributes);
    exchange(3);
    // Of another domain: what is popped next is not this one.
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    nvtxDomainRangePushEx(domain, &attributes);
    exchange(4);
    nvtxRangePop();
    exchange(5);
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangeId_t ranges[] = {nvtxRangeStartA("started"), nvtxDomainRangeStartEx(domain, &attributes)};
    exchange(6);
    nvtxRangeEnd(ranges[0]);
    exchange(7);
    pthread_t thread;
    pthread_create(&thread, NULL, end, &ranges[1]);
    pthread_join(thread, NULL);
    exchange(8);
    puts("ok");
    MPI_Finalize();
    return 0;
}
