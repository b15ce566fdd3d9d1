// What the generated programs stand on. All of it goes by the PMPI_ names: a program calls each function once by its own.
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static FILE *out;
static int me, other;
static int ignore;
static const char *self;
static MPI_Comm world, ring, graph, dist, inter;
static MPI_Group everyone, others;
static MPI_Info info;
static MPI_Datatype pair, filetype;
static int memory[16];
static char attached[1 << 16];
static char port[MPI_MAX_PORT_NAME];

// What is printed: the words that are not as BLANK left them.
#define BLANK(object) memset(object, 0xa5, sizeof(object))
#define FILL(object) fill(object, sizeof(object) / sizeof *(object))

static void fill(int *words, int count) {
    for (int i = 0; i < count; i++) {
        words[i] = 100 * (me + 1) + i;
    }
}

static void show(const char *name, const void *bytes, size_t size) {
    fprintf(out, " %s", name);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, (const char *)bytes + i, 4);
        if (word != 0xa5a5a5a5) {
            fprintf(out, " %zu:%d", i / 4, (int)word);
        }
    }
}

// MPICH's codes number the failures of its run besides saying their class.
static void returned(int code) {
    int class = code;
    if (code != MPI_SUCCESS) {
        PMPI_Error_class(code, &class);
    }
    fprintf(out, " returned %d", class);
}

// Messages with the other rank, so that a call finds its partner.
static int inbox[16], outbox[16];
static MPI_Request partners[8];
static int partnered;

static void expect(int tag) {
    PMPI_Irecv(inbox, 4, MPI_INT, other, tag, world, &partners[partnered++]);
    PMPI_Barrier(world);
}

static void deliver(int tag) {
    FILL(outbox);
    PMPI_Isend(outbox, 4, MPI_INT, other, tag, world, &partners[partnered++]);
}

static void part(void) {
    PMPI_Waitall(partnered, partners, MPI_STATUSES_IGNORE);
    partnered = 0;
}

static void take(int tag) {
    PMPI_Recv(inbox, 4, MPI_INT, other, tag, world, MPI_STATUS_IGNORE);
}

// A request that is complete, and not yet known to be.
static MPI_Request received(int tag) {
    MPI_Request request;
    static int words[2][4];
    PMPI_Irecv(words[tag & 1], 4, MPI_INT, other, tag, world, &request);
    deliver(tag);
    for (int flag = 0; !flag;) {
        PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    }
    return request;
}

static MPI_Request prepared(int tag) {
    MPI_Request request;
    PMPI_Send_init(outbox, 4, MPI_INT, other, tag, world, &request);
    return request;
}

static MPI_Status received_status(void) {
    MPI_Status status;
    memset(&status, 0, sizeof status);
    deliver(9);
    PMPI_Recv(inbox, 16, MPI_INT, other, 9, world, &status);
    part();
    return status;
}

static int callbacks;

static int query(void *state, MPI_Status *status) {
    callbacks++;
    PMPI_Status_set_elements(status, MPI_INT, 1);
    PMPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int forget(void *state) { callbacks++; return MPI_SUCCESS; }
static int cancel(void *state, int complete) { callbacks++; return MPI_SUCCESS; }
static void comm_failed(MPI_Comm *comm, int *code, ...) { callbacks += 10; }
static void win_failed(MPI_Win *win, int *code, ...) { callbacks += 10; }
static void file_failed(MPI_File *file, int *code, ...) { callbacks += 10; }
static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    callbacks++;
    for (int i = 0; i < *count; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}
static void add_many(void *in, void *inout, MPI_Count *count, MPI_Datatype *type) {
    int few = (int)*count;
    add(in, inout, &few, type);
}
static int file_extent(MPI_Datatype type, MPI_Aint *extent, void *state) {
    *extent = 4;
    return MPI_SUCCESS;
}

static MPI_Request generalized(void) {
    MPI_Request request;
    PMPI_Grequest_start(query, forget, cancel, 0, &request);
    return request;
}

// Windows over `memory`, and files of 64 numbers.
static MPI_Win window(void) {
    MPI_Win win;
    for (int i = 0; i < 16; i++) {
        memory[i] = 10 * me + i;
    }
    PMPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, world, &win);
    PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    PMPI_Barrier(world);
    return win;
}

static void close_window(MPI_Win *win) {
    if (*win != MPI_WIN_NULL) {
        PMPI_Win_free(win);
    }
}

static MPI_Win dynamic_window(void) {
    MPI_Win win;
    PMPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
    return win;
}

static MPI_Win shared_window(void) {
    MPI_Win win;
    void *base;
    PMPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, world, &base, &win);
    return win;
}

static char *path(void) {
    static char name[4096];
    snprintf(name, sizeof name, "%s.file-%d", self, me);
    return name;
}

static MPI_File file(void) {
    MPI_File fh;
    int words[64];
    FILL(words);
    FILE *fresh = fopen(path(), "w");
    fwrite(words, sizeof words, 1, fresh);
    fclose(fresh);
    PMPI_File_open(MPI_COMM_SELF, path(), MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    return fh;
}

static void close_file(MPI_File *fh) {
    int words[96];
    BLANK(words);
    if (*fh != MPI_FILE_NULL) {
        PMPI_File_close(fh);
    }
    FILE *written = fopen(path(), "r");
    size_t length = written ? fread(words, 1, sizeof words, written) : 0;
    fprintf(out, " file of %zu", length);
    for (int i = 0; i < 64; i++) {
        words[i] = words[i] == 100 * (me + 1) + i ? (int)0xa5a5a5a5 : words[i];
    }
    show("changed", words, sizeof words);
    if (written) {
        fclose(written);
    }
    PMPI_File_delete(path(), MPI_INFO_NULL);
}

static void show_comm(const char *name, MPI_Comm *comm) {
    int size = -1, rank = -1, between = -1;
    if (*comm != MPI_COMM_NULL) {
        PMPI_Comm_size(*comm, &size);
        PMPI_Comm_rank(*comm, &rank);
        PMPI_Comm_test_inter(*comm, &between);
    }
    fprintf(out, " %s %d/%d/%d", name, rank, size, between);
}

static void free_comm(MPI_Comm *comm) {
    if (*comm != MPI_COMM_NULL) {
        PMPI_Comm_free(comm);
    }
}

static void show_type(const char *name, MPI_Datatype type) {
    MPI_Aint lower = -1, extent = -1;
    int size = -1;
    if (type != MPI_DATATYPE_NULL) {
        PMPI_Type_size(type, &size);
        PMPI_Type_get_extent(type, &lower, &extent);
    }
    fprintf(out, " %s %d/%ld/%ld", name, size, (long)lower, (long)extent);
}

static void show_group(const char *name, MPI_Group group) {
    int size = -1, rank = -1;
    if (group != MPI_GROUP_NULL) {
        PMPI_Group_size(group, &size);
        PMPI_Group_rank(group, &rank);
    }
    fprintf(out, " %s %d/%d", name, rank, size);
}

static void show_count(const char *name, MPI_Status *status) {
    int count = -1;
    if (!ignore) {
        PMPI_Get_count(status, MPI_INT, &count);
    }
    fprintf(out, " %s of %d", name, count);
}

static void show_info(const char *name, MPI_Info shown) {
    int keys = -1;
    if (shown != MPI_INFO_NULL) {
        PMPI_Info_get_nkeys(shown, &keys);
    }
    fprintf(out, " %s of %d", name, keys);
}

static MPI_Info new_info(void) {
    MPI_Info made;
    PMPI_Info_create(&made);
    PMPI_Info_set(made, "key", "value");
    return made;
}

static int comm_key(void) {
    int key;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, 0);
    return key;
}

static int comm_key_set(void) {
    int key = comm_key();
    PMPI_Comm_set_attr(world, key, memory);
    return key;
}

static int type_key(void) {
    int key;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, 0);
    return key;
}

static int type_key_set(void) {
    int key = type_key();
    PMPI_Type_set_attr(pair, key, memory);
    return key;
}

static int win_key(void) {
    int key;
    PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, 0);
    return key;
}

static int error_class(void) {
    int class;
    PMPI_Add_error_class(&class);
    return class;
}

static int error_code(void) {
    int code;
    PMPI_Add_error_code(error_class(), &code);
    return code;
}

static MPI_Errhandler handler(void) {
    MPI_Errhandler made;
    PMPI_Comm_create_errhandler(comm_failed, &made);
    return made;
}

static MPI_Op sum(void) {
    MPI_Op op;
    PMPI_Op_create(add, 1, &op);
    return op;
}

// The first control variable that belongs to no object, and the first performance variable, if there is one.
static MPI_T_cvar_handle cvar(void) {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int many = 0;
    PMPI_T_cvar_get_num(&many);
    for (int i = 0; i < many; i++) {
        int bind = -1, count = 0;
        if (PMPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, &bind, 0) == MPI_SUCCESS && bind == MPI_T_BIND_NO_OBJECT &&
            PMPI_T_cvar_handle_alloc(i, 0, &handle, &count) == MPI_SUCCESS && count == 1) {
            break;
        }
    }
    return handle;
}

static MPI_T_pvar_session pvar_session;

static MPI_T_pvar_handle pvar(void) {
    MPI_T_pvar_handle handle = MPI_T_PVAR_ALL_HANDLES;
    int many = 0, count;
    PMPI_T_pvar_get_num(&many);
    if (many > 0) {
        PMPI_T_pvar_handle_alloc(pvar_session, 0, 0, &handle, &count);
    }
    return handle;
}

static MPI_T_enum enumeration(void) {
    int many = 0;
    PMPI_T_cvar_get_num(&many);
    for (int i = 0; i < many; i++) {
        MPI_T_enum found = MPI_T_ENUM_NULL;
        if (PMPI_T_cvar_get_info(i, 0, 0, 0, 0, &found, 0, 0, 0, 0) == MPI_SUCCESS && found != MPI_T_ENUM_NULL) {
            return found;
        }
    }
    return MPI_T_ENUM_NULL;
}

static char *category(void) {
    static char name[1024];
    int length = sizeof name;
    PMPI_T_category_get_info(0, name, &length, 0, 0, 0, 0, 0);
    return name;
}

static char *variable(void) {
    static char name[1024];
    int length = sizeof name;
    PMPI_T_cvar_get_info(0, name, &length, 0, 0, 0, 0, 0, 0, 0);
    return name;
}

// A socket to the other rank.
static int connection(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (me == 0) {
        bind(made, (struct sockaddr *)&address, length);
        listen(made, 1);
        getsockname(made, (struct sockaddr *)&address, &length);
    }
    PMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, world);
    if (me != 0) {
        connect(made, (struct sockaddr *)&address, sizeof address);
        return made;
    }
    return accept(made, 0, 0);
}

static char *open_port(void) {
    if (me == 0) {
        PMPI_Open_port(MPI_INFO_NULL, port);
    }
    PMPI_Bcast(port, sizeof port, MPI_CHAR, 0, world);
    return port;
}

static void begin(void) {
    int two[] = {2}, yes[] = {1}, ends[] = {1, 2}, next[] = {1, 0}, one[] = {1};
    PMPI_Comm_dup(MPI_COMM_WORLD, &world);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(world, &me);
    other = 1 - me;
    PMPI_Cart_create(world, 1, two, yes, 0, &ring);
    PMPI_Graph_create(world, 2, ends, next, 0, &graph);
    PMPI_Dist_graph_create_adjacent(world, 1, &other, one, 1, &other, one, MPI_INFO_NULL, 0, &dist);
    PMPI_Intercomm_create(MPI_COMM_SELF, 0, world, other, 5, &inter);
    PMPI_Comm_group(world, &everyone);
    PMPI_Group_incl(everyone, 1, &other, &others);
    PMPI_Type_contiguous(2, MPI_INT, &pair);
    PMPI_Type_commit(&pair);
    PMPI_Type_contiguous(4, MPI_INT, &filetype);
    info = new_info();
    PMPI_Buffer_attach(attached, sizeof attached);
    int provided;
    PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    PMPI_T_pvar_session_create(&pvar_session);
}

static void end(void) {
    void *buffer;
    int size;
    PMPI_T_pvar_session_free(&pvar_session);
    PMPI_T_finalize();
    PMPI_Buffer_detach(&buffer, &size);
    PMPI_Info_free(&info);
    PMPI_Type_free(&pair);
    PMPI_Type_free(&filetype);
    PMPI_Group_free(&others);
    PMPI_Group_free(&everyone);
    MPI_Comm *comms[] = {&inter, &dist, &graph, &ring, &world};
    for (int i = 0; i < 5; i++) {
        PMPI_Comm_free(comms[i]);
    }
}
