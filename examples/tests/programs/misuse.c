// Misuses MPI, in the ways that are named: `misuse OUT return|user|fatal NAME ...`. OUT says what came of each, and ends
// with the one that the process died of. `misuse misuses` and `misuse dangers` list the names.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static MPI_Comm comm;
static int me, words[64], counts[1] = {4}, starts[1];

static void handled(MPI_Comm *failed, int *code, ...) {
    int class;
    MPI_Error_class(*code, &class);
    fprintf(out, " handler %d %s", class,
            *failed == comm ? "own" : *failed == MPI_COMM_WORLD ? "world" : *failed == MPI_COMM_SELF ? "self" : "other");
}

static MPI_Comm freed_comm(void) {
    MPI_Comm made, copy;
    MPI_Comm_dup(comm, &made);
    copy = made;
    MPI_Comm_free(&made);
    return copy;
}

// Two requests of which the first gets more than it has room for.
static void too_long(MPI_Request *requests) {
    MPI_Irecv(words, 1, MPI_INT, me, 1, comm, &requests[0]);
    MPI_Irecv(words + 8, 4, MPI_INT, me, 2, comm, &requests[1]);
    MPI_Send(words + 16, 4, MPI_INT, me, 1, comm);
    MPI_Send(words + 16, 4, MPI_INT, me, 2, comm);
}

static int waitall_of_too_long(MPI_Status *statuses) {
    MPI_Request requests[2];
    too_long(requests);
    int code = MPI_Waitall(2, requests, statuses);
    fprintf(out, " left %d %d", requests[0] != MPI_REQUEST_NULL, requests[1] != MPI_REQUEST_NULL);
    if (statuses != MPI_STATUSES_IGNORE) {
        for (int i = 0; i < 2; i++) {
            int class = -1;
            MPI_Error_class(statuses[i].MPI_ERROR, &class);
            fprintf(out, " %d/%d/%d", statuses[i].MPI_SOURCE, statuses[i].MPI_TAG, class);
        }
    }
    return code;
}

// Sends what is too long for the receive that follows.
static void send_four(void) {
    static MPI_Request request;
    MPI_Isend(words, 4, MPI_INT, me, 1, comm, &request);
    MPI_Request_free(&request);
}

static int long_message(MPI_Status *status) {
    send_four();
    return MPI_Recv(words + 8, 1, MPI_INT, me, 1, comm, status);
}

static int wait_for_long(void) {
    MPI_Request request;
    MPI_Irecv(words + 8, 1, MPI_INT, me, 1, comm, &request);
    send_four();
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int twice_freed(void) {
    MPI_Datatype made, copy;
    MPI_Type_contiguous(3, MPI_INT, &made);
    copy = made;
    MPI_Type_free(&made);
    return MPI_Send(words, 1, copy, me, 1, comm);
}

static int uncommitted(void) {
    MPI_Datatype made;
    MPI_Type_contiguous(3, MPI_INT, &made);
    return MPI_Send(words, 1, made, me, 1, comm);
}

static int started_twice(void) {
    MPI_Request request;
    MPI_Recv_init(words, 1, MPI_INT, me, 50, comm, &request);
    MPI_Start(&request);
    return MPI_Start(&request);
}

static int start_of_no_persistent(void) {
    MPI_Request request;
    MPI_Irecv(words, 1, MPI_INT, me, 51, comm, &request);
    return MPI_Start(&request);
}

static int keyval_of_nobody(void) {
    void *value;
    int flag;
    return MPI_Comm_get_attr(comm, 123456, &value, &flag);
}

static int no_file(void) {
    MPI_File file;
    return MPI_File_open(comm, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static int cart_too_large(void) {
    MPI_Comm made;
    return MPI_Cart_create(comm, 1, (int[]){99}, (int[]){0}, 0, &made);
}

static int group_of_strangers(void) {
    MPI_Group all, made;
    MPI_Comm_group(comm, &all);
    return MPI_Group_incl(all, 1, (int[]){7}, &made);
}

static int outside_window(int rank) {
    MPI_Win win;
    MPI_Win_create(words, sizeof words, 4, MPI_INFO_NULL, comm, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    int code = MPI_Put(words, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    return code;
}

static int world_freed(void) {
    MPI_Comm world = MPI_COMM_WORLD;
    return MPI_Comm_free(&world);
}

static int predefined_freed(void) {
    MPI_Datatype predefined = MPI_INT;
    return MPI_Type_free(&predefined);
}

// What is misused, and how.
#define MISUSES(misuse) \
    misuse(negative_count, MPI_Send(words, -1, MPI_INT, me, 1, comm)) \
    misuse(no_such_rank, MPI_Send(words, 1, MPI_INT, 99, 1, comm)) \
    misuse(negative_rank, MPI_Recv(words, 1, MPI_INT, -77, 1, comm, MPI_STATUS_IGNORE)) \
    misuse(negative_tag, MPI_Send(words, 1, MPI_INT, me, -55, comm)) \
    misuse(no_datatype, MPI_Send(words, 1, MPI_DATATYPE_NULL, me, 1, comm)) \
    misuse(uncommitted_datatype, uncommitted()) \
    misuse(no_communicator, MPI_Barrier(MPI_COMM_NULL)) \
    misuse(send_without_communicator, MPI_Send(words, 1, MPI_INT, me, 1, MPI_COMM_NULL)) \
    misuse(probe_of_no_such_rank, MPI_Probe(99, 1, comm, MPI_STATUS_IGNORE)) \
    misuse(no_such_root, MPI_Bcast(words, 1, MPI_INT, 99, comm)) \
    misuse(no_operation, MPI_Allreduce(words, words + 8, 1, MPI_INT, MPI_OP_NULL, comm)) \
    misuse(operation_of_other_types, MPI_Allreduce(words, words + 8, 1, MPI_DOUBLE, MPI_BAND, comm)) \
    misuse(same_buffers, MPI_Allreduce(words, words, 1, MPI_INT, MPI_SUM, comm)) \
    misuse(truncated, long_message(MPI_STATUS_IGNORE)) \
    misuse(truncated_with_status, long_message(&(MPI_Status){0})) \
    misuse(truncated_in_wait, wait_for_long()) \
    misuse(truncated_in_waitall, waitall_of_too_long((MPI_Status[2]){{0}})) \
    misuse(truncated_in_waitall_without_statuses, waitall_of_too_long(MPI_STATUSES_IGNORE)) \
    misuse(unknown_keyval, keyval_of_nobody()) \
    misuse(missing_file, no_file()) \
    misuse(more_processes_than_there_are, cart_too_large()) \
    misuse(unknown_rank_in_group, group_of_strangers()) \
    misuse(unknown_target, outside_window(99)) \
    misuse(world_is_freed, world_freed()) \
    misuse(predefined_datatype_is_freed, predefined_freed()) \
    misuse(negative_request_count, MPI_Waitall(-1, 0, MPI_STATUSES_IGNORE))

// What may end the process: handles that are none any more, and null pointers.
#define DANGERS(misuse) \
    misuse(freed_communicator, MPI_Barrier(freed_comm())) \
    misuse(freed_datatype, twice_freed()) \
    misuse(active_request_started, started_twice()) \
    misuse(request_that_is_not_persistent_started, start_of_no_persistent()) \
    misuse(datatype_for_communicator, MPI_Barrier((MPI_Comm)MPI_INT)) \
    misuse(null_buffer, MPI_Send(0, 4, MPI_INT, me, 1, comm)) \
    misuse(null_request, MPI_Wait(0, MPI_STATUS_IGNORE)) \
    misuse(null_request_tested, MPI_Test(0, words, MPI_STATUS_IGNORE)) \
    misuse(null_flag, MPI_Test(&(MPI_Request){MPI_REQUEST_NULL}, 0, MPI_STATUS_IGNORE)) \
    misuse(null_requests, MPI_Waitall(2, 0, MPI_STATUSES_IGNORE)) \
    misuse(null_requests_for_any, MPI_Waitany(2, 0, words, MPI_STATUS_IGNORE)) \
    misuse(null_requests_for_some, MPI_Testsome(2, 0, words, words, MPI_STATUSES_IGNORE)) \
    misuse(null_outcount, MPI_Testsome(1, (MPI_Request[]){MPI_REQUEST_NULL}, 0, words, MPI_STATUSES_IGNORE)) \
    misuse(null_persistent, MPI_Start(0)) \
    misuse(null_persistents, MPI_Startall(2, 0)) \
    misuse(null_request_freed, MPI_Request_free(0)) \
    misuse(null_request_cancelled, MPI_Cancel(0)) \
    misuse(null_new_request, MPI_Irecv(words, 4, MPI_INT, me, 60, comm, 0)) \
    misuse(null_new_communicator, MPI_Comm_dup(comm, 0)) \
    misuse(null_communicator_freed, MPI_Comm_free(0)) \
    misuse(null_datatype_freed, MPI_Type_free(0)) \
    misuse(null_group_freed, MPI_Group_free(0)) \
    misuse(null_window_freed, MPI_Win_free(0)) \
    misuse(null_file_closed, MPI_File_close(0)) \
    misuse(null_probe_flag, MPI_Iprobe(me, 61, comm, 0, MPI_STATUS_IGNORE)) \
    misuse(null_message, MPI_Mrecv(words, 4, MPI_INT, 0, MPI_STATUS_IGNORE)) \
    misuse(null_name, MPI_Comm_set_name(comm, 0)) \
    misuse(null_counts, MPI_Allgatherv(words, 4, MPI_INT, words + 8, 0, starts, MPI_INT, comm)) \
    misuse(null_displacements, MPI_Allgatherv(words, 4, MPI_INT, words + 8, counts, 0, MPI_INT, comm)) \
    misuse(null_datatypes, MPI_Alltoallw(words, counts, starts, 0, words + 8, counts, starts, 0, comm))

#define TRY(name, call) \
    if (strcmp(argv[i], #name) == 0) { \
        fprintf(out, "%s", #name); \
        code = call; \
    }
#define LIST(name, call) printf("%s\n", #name);

int main(int argc, char **argv) {
    if (argc == 2) {
        if (strcmp(argv[1], "misuses") == 0) {
            MISUSES(LIST)
        } else {
            DANGERS(LIST)
        }
        return 0;
    }
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    out = fopen(argv[1], "w");
    setvbuf(out, 0, _IONBF, 0);
    MPI_Comm_create_errhandler(handled, &handler);
    handler = strcmp(argv[2], "user") == 0 ? handler : strcmp(argv[2], "fatal") == 0 ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (int i = 3; i < argc; i++) {
        int code = -1, class = -1;
        MISUSES(TRY)
        DANGERS(TRY)
        MPI_Error_class(code, &class);
        fprintf(out, " returned %d\n", class);
    }
    // What was misused may keep MPI_Finalize from ending.
    _Exit(0);
}
