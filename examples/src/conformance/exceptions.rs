//! Exceptions to the recipes: arguments chosen by name, and functions that need a step before or after the call.
//!
//! A function's name may begin or end with `*`.

use super::recipes::{Recipe, STATUS, value};

/// Overrides for some functions.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    pub functions: &'static [&'static str],
    /// Recipes by argument name, instead of those by kind.
    pub arguments: &'static [(&'static str, Recipe)],
    /// Runs before the call, once the arguments are there.
    pub begin: &'static str,
    /// Runs after the call, before its requests are waited for.
    pub complete: &'static str,
    /// Runs once the requests are complete.
    pub finish: &'static str,
    /// Rank 1 runs this instead of the call, which rank 0 then makes alone.
    pub counterpart: &'static str,
}

const fn exception(functions: &'static [&'static str]) -> Exception {
    Exception { functions, arguments: &[], begin: "", complete: "", finish: "", counterpart: "" }
}

impl Exception {
    const fn with(self, arguments: &'static [(&'static str, Recipe)]) -> Exception {
        Exception { arguments, ..self }
    }

    const fn begin(self, begin: &'static str) -> Exception {
        Exception { begin, ..self }
    }

    const fn complete(self, complete: &'static str) -> Exception {
        Exception { complete, ..self }
    }

    const fn finish(self, finish: &'static str) -> Exception {
        Exception { finish, ..self }
    }

    const fn counterpart(self, counterpart: &'static str) -> Exception {
        Exception { counterpart, ..self }
    }
}

/// An address chosen by MPI, different in every process.
const GIVEN: Recipe = Recipe { before: "void *{n} = 0;", ..value("&{n}") };
/// A length that goes in and comes out.
const LENGTH: Recipe =
    Recipe { before: "int {n}[1] = {4096};", show: "show(\"{a}\", {n}, sizeof {n});", ..value("{n}") };
const POSITION: Recipe =
    Recipe { before: "{t} {n}[1] = {0};", show: "show(\"{a}\", {n}, sizeof {n});", ..value("{n}") };
const CHILD: Recipe = Recipe { before: "char *{n}[] = {\"child\", 0};", ..value("{n}") };
const OWN_INFO: Recipe = Recipe { before: "MPI_Info {n} = new_info();", free: "PMPI_Info_free(&{n});", ..value("{n}") };
const SIDE: Recipe = value("me ? \"one\" : \"zero\"");
const CONNECTED: Recipe = Recipe {
    before: "MPI_Comm {n} = MPI_COMM_NULL;",
    show: "show_comm(\"{a}\", &{n});",
    free: "if ({n} != MPI_COMM_NULL) { PMPI_Comm_disconnect(&{n}); }",
    ..value("&{n}")
};
const REAL_STATUS: Recipe =
    Recipe { before: "MPI_Status {n} = received_status();", show: "show(\"{a}\", &{n}, sizeof {n});", ..value("&{n}") };
const NOT_IGNORED: Recipe =
    Recipe { before: "MPI_Status {n}[1]; BLANK({n});", show: "show(\"{a}\", {n}, sizeof {n});", ..value("{n}") };
const COUNTED: Recipe = Recipe { show: "show_count(\"{a}\", {n});", ..STATUS };
const UNSEEN: Recipe = Recipe { before: "{t} {n}[16];", ..value("{n}") };

macro_rules! array {
    ($elements:literal) => {
        Recipe { before: concat!("{t} {n}[] = {", $elements, "};"), ..value("{n}") }
    };
}

/// An int, such as a keyval, that the call frees.
macro_rules! freed {
    ($made:literal) => {
        Recipe {
            before: concat!("int {n}[1] = {", $made, "};"),
            show: "show(\"{a}\", {n}, sizeof {n});",
            ..value("{n}")
        }
    };
}

macro_rules! window {
    ($made:literal) => {
        Recipe { before: concat!("MPI_Win {n} = ", $made, ";"), free: "close_window(&{n});", ..value("{n}") }
    };
}

/// Arguments that mean the same in every function.
pub const NAMES: &[(&str, Recipe)] = &[
    ("amode", value("MPI_MODE_RDWR")),
    ("array_of_argv", Recipe { before: "char *told[] = {\"child\", 0}; char **{n}[] = {told};", ..value("{n}") }),
    ("array_of_commands", Recipe { before: "char *{n}[] = {(char *)self};", ..value("{n}") }),
    ("array_of_dargs", array!("MPI_DISTRIBUTE_DFLT_DARG")),
    ("array_of_distribs", array!("MPI_DISTRIBUTE_BLOCK")),
    ("array_of_gsizes", array!("8")),
    ("array_of_maxprocs", array!("1")),
    ("array_of_sizes", array!("8")),
    ("array_of_subsizes", array!("4")),
    ("argv", CHILD),
    ("assert", value("0")),
    ("attribute_val", GIVEN),
    ("baseptr", GIVEN),
    ("buffer_addr", GIVEN),
    ("cat_index", value("0")),
    ("command", value("self")),
    ("cvar_index", value("0")),
    ("datarep", value("\"external32\"")),
    ("desc_len", LENGTH),
    ("direction", value("0")),
    ("edges", array!("1, 0")),
    ("errorclass", value("MPI_ERR_OTHER")),
    ("errorcode", value("MPI_ERR_OTHER")),
    ("event_index", value("0")),
    ("extra_state", value("0")),
    ("filename", value("path()")),
    ("indx", array!("1, 2")),
    ("insize", value("64")),
    ("intercomm", CONNECTED),
    ("len", value("64")),
    ("local_leader", value("0")),
    ("maxindex", value("2")),
    ("maxedges", value("2")),
    ("name_len", LENGTH),
    ("nnodes", value("2")),
    ("obj_handle", value("0")),
    ("order", value("MPI_ORDER_C")),
    ("outsize", value("64")),
    ("peer_comm", value("world")),
    ("position", POSITION),
    ("pset_name", value("\"mpi://WORLD\"")),
    ("pvar_index", value("0")),
    ("r", value("9")),
    ("remain_dims", array!("1")),
    ("reorder", value("0")),
    ("root", value("0")),
    ("service_name", SIDE),
    ("source_index", value("0")),
    ("split_type", value("MPI_COMM_TYPE_SHARED")),
    ("target_count", value("4")),
    ("typeclass", value("MPI_TYPECLASS_INTEGER")),
    ("user_data", value("0")),
    ("valuelen", value("64")),
    ("var_class", value("MPI_T_PVAR_CLASS_TIMER")),
    ("whence", value("MPI_SEEK_SET")),
];

/// A pair of partitioned requests, one each way, both started.
const PARTITIONED: &str = "
    MPI_Request sender, receiver; int parts[4]; FILL(parts);
    PMPI_Psend_init(parts, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &sender);
    PMPI_Precv_init(inbox, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &receiver);
    PMPI_Start(&receiver); PMPI_Start(&sender);";
const PARTED: &str = "
    PMPI_Wait(&sender, MPI_STATUS_IGNORE); PMPI_Wait(&receiver, MPI_STATUS_IGNORE);
    PMPI_Request_free(&sender); PMPI_Request_free(&receiver); show(\"inbox\", inbox, sizeof inbox);";
const SENDER: Recipe = value("sender");
const PERSISTENT: Recipe = Recipe { before: "MPI_Request {n};", ..value("&{n}") };

pub const EXCEPTIONS: &[Exception] = &[
    exception(&["Psend_init"]).with(&[("dest", value("other")), ("request", PERSISTENT)]).finish(
        "MPI_Request receiver; PMPI_Precv_init(inbox, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &receiver);
            PMPI_Start(&receiver); PMPI_Start(&request_); PMPI_Pready_range(0, 1, request_);
            PMPI_Wait(&request_, MPI_STATUS_IGNORE); PMPI_Wait(&receiver, MPI_STATUS_IGNORE);
            PMPI_Request_free(&request_); PMPI_Request_free(&receiver); show(\"inbox\", inbox, sizeof inbox);",
    ),
    exception(&["Precv_init"]).with(&[("dest", value("other")), ("request", PERSISTENT)]).finish(
        "MPI_Request sender; PMPI_Psend_init(outbox, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &sender);
            PMPI_Start(&request_); PMPI_Start(&sender); PMPI_Pready_range(0, 1, sender);
            PMPI_Wait(&request_, MPI_STATUS_IGNORE); PMPI_Wait(&sender, MPI_STATUS_IGNORE);
            PMPI_Request_free(&request_); PMPI_Request_free(&sender);",
    ),
    exception(&["Pready"])
        .with(&[("request", SENDER)])
        .begin(PARTITIONED)
        .complete("PMPI_Pready(0, sender);")
        .finish(PARTED),
    exception(&["Pready_range"])
        .with(&[("request", SENDER), ("partition_low", value("0"))])
        .begin(PARTITIONED)
        .finish(PARTED),
    exception(&["Pready_list"]).with(&[("request", SENDER), ("length", value("2"))]).begin(PARTITIONED).finish(PARTED),
    exception(&["Parrived"])
        .with(&[(
            "request",
            Recipe {
                before: "MPI_Request sender, receiver; int parts[4]; FILL(parts);
                    PMPI_Psend_init(parts, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &sender);
                    PMPI_Precv_init(inbox, 2, 2, MPI_INT, other, 7, world, MPI_INFO_NULL, &receiver);
                    PMPI_Start(&receiver); PMPI_Start(&sender); PMPI_Pready_range(0, 1, sender);
                    for (int here = 0; !here;) { PMPI_Parrived(receiver, 1, &here); }",
                ..value("receiver")
            },
        )])
        .finish(PARTED),
    // The message is already there: otherwise a nonblocking probe finds it in some runs only.
    exception(&["Probe", "Iprobe"]).begin("PMPI_Probe(other, 7, world, MPI_STATUS_IGNORE);").complete("take(7);"),
    exception(&["Improbe"]).begin("PMPI_Probe(other, 7, world, MPI_STATUS_IGNORE);"),
    exception(&["Grequest_start"])
        .complete("PMPI_Grequest_complete(request_);")
        .finish("show(\"called\", &callbacks, 4);"),
    exception(&["Grequest_complete"])
        .with(&[("request", Recipe { before: "MPI_Request {n} = generalized();", ..value("{n}") })])
        .finish("PMPI_Wait(&request_, MPI_STATUS_IGNORE); show(\"called\", &callbacks, 4);"),
    // The module mpi_f08 of MPICH 4 takes every topology for a distributed graph here.
    exception(&["Neighbor_alltoallw*", "Ineighbor_alltoallw"]).with(&[("comm", value("dist"))]),
    exception(&[
        "Neighbor_*",
        "Ineighbor_*",
        "Cart_coords",
        "Cart_get",
        "Cart_rank",
        "Cart_shift",
        "Cart_sub",
        "Cartdim_get",
    ])
    .with(&[("comm", value("ring"))]),
    exception(&["Cart_create", "Cart_map"]).with(&[("dims", array!("2")), ("periods", array!("1"))]),
    exception(&["Graph_get", "Graph_neighbors*", "Graphdims_get"]).with(&[
        ("comm", value("graph")),
        ("indx", RESULTS),
        ("edges", RESULTS),
        ("nnodes", RESULTS),
    ]),
    exception(&["Dist_graph_create"]).with(&[
        ("sources", array!("me")),
        ("degrees", array!("1")),
        ("destinations", array!("other")),
        ("weights", array!("1")),
    ]),
    exception(&["Dist_graph_create_adjacent"]).with(&[
        ("sources", array!("other")),
        ("sourceweights", array!("1")),
        ("destinations", array!("other")),
        ("destweights", array!("1")),
    ]),
    exception(&["Dist_graph_neighbors*"]).with(&[("comm", value("dist"))]),
    exception(&["Topo_test"]).with(&[("comm", value("ring"))]),
    exception(&["Dims_create"]).with(&[
        ("nnodes", value("6")),
        ("ndims", value("2")),
        ("dims", Recipe { before: "int {n}[2] = {0, 0};", show: "show(\"{a}\", {n}, sizeof {n});", ..value("{n}") }),
    ]),
    // One-sided.
    exception(&["Put", "Get", "*ccumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Rput", "Rget"])
        .begin("PMPI_Win_lock_all(0, win_);")
        .finish("PMPI_Win_unlock_all(win_);"),
    exception(&["Win_flush*", "Win_sync"]).begin("PMPI_Win_lock_all(0, win_);").finish("PMPI_Win_unlock_all(win_);"),
    exception(&["Win_fence"]).finish("PMPI_Win_fence(0, win_);"),
    exception(&["Win_start"])
        .begin("PMPI_Win_post(others, 0, win_);")
        .finish("PMPI_Win_complete(win_); PMPI_Win_wait(win_);"),
    exception(&["Win_complete"])
        .begin("PMPI_Win_post(others, 0, win_); PMPI_Win_start(others, 0, win_);")
        .finish("PMPI_Win_wait(win_);"),
    exception(&["Win_post"]).finish("PMPI_Win_start(others, 0, win_); PMPI_Win_complete(win_); PMPI_Win_wait(win_);"),
    exception(&["Win_wait"])
        .begin("PMPI_Win_post(others, 0, win_); PMPI_Win_start(others, 0, win_); PMPI_Win_complete(win_);"),
    exception(&["Win_test"])
        .with(&[("flag", UNSEEN)])
        .begin("PMPI_Win_post(others, 0, win_); PMPI_Win_start(others, 0, win_); PMPI_Win_complete(win_);")
        .finish("if (!flag_[0]) { PMPI_Win_wait(win_); }"),
    exception(&["Win_lock"]).finish("PMPI_Win_unlock(other, win_);"),
    exception(&["Win_unlock"]).begin("PMPI_Win_lock(MPI_LOCK_SHARED, other, 0, win_);"),
    exception(&["Win_lock_all"]).finish("PMPI_Win_unlock_all(win_);"),
    exception(&["Win_unlock_all"]).begin("PMPI_Win_lock_all(0, win_);"),
    exception(&["Win_allocate", "Win_allocate_shared", "Alloc_mem"]).with(&[("size", value("64"))]),
    exception(&["Alloc_mem"]).with(&[("size", value("64"))]).finish("PMPI_Free_mem(baseptr_);"),
    exception(&["Free_mem"])
        .with(&[("base", Recipe { before: "void *{n}; PMPI_Alloc_mem(64, MPI_INFO_NULL, &{n});", ..value("{n}") })]),
    exception(&["Win_create"]).with(&[("base", value("memory")), ("size", value("sizeof memory"))]),
    exception(&["Win_attach"])
        .with(&[("win", window!("dynamic_window()")), ("base", value("memory")), ("size", value("sizeof memory"))])
        .finish("PMPI_Win_detach(win_, memory);"),
    exception(&["Win_detach"])
        .with(&[("win", window!("dynamic_window()")), ("base", value("memory"))])
        .begin("PMPI_Win_attach(win_, memory, sizeof memory);"),
    // Open MPI numbers window names by the count of communicators, and the recorder creates one.
    exception(&["Win_get_name"]).begin("PMPI_Win_set_name(win_, \"named\");"),
    exception(&["Win_shared_query"]).with(&[("win", window!("shared_window()")), ("rank", value("other"))]),
    // Files.
    exception(&["File_delete"]).begin("MPI_File made = file(); PMPI_File_close(&made);"),
    exception(&["File_open"]).with(&[("comm", value("MPI_COMM_SELF"))]),
    exception(&["File_get_amode"]).with(&[("amode", RESULTS)]),
    exception(&["File_get_view"]).with(&[("datarep", TEXT)]),
    exception(&["File_set_view"]).with(&[("datarep", value("\"native\""))]),
    // Open MPI 5 leaves source and tag of these statuses unset.
    exception(&["*_end"]).with(&[("status", COUNTED)]),
    exception(&["Register_datarep"]).with(&[
        ("datarep", value("\"ours\"")),
        ("read_conversion_fn", value("0")),
        ("write_conversion_fn", value("0")),
        ("dtype_file_extent_fn", value("file_extent")),
    ]),
    // Communicators and processes.
    exception(&["Comm_remote_group", "Comm_remote_size"]).with(&[("comm", value("inter"))]),
    exception(&["Intercomm_create"]).with(&[("local_comm", value("MPI_COMM_SELF")), ("remote_leader", value("other"))]),
    exception(&["Intercomm_create_from_groups"]).with(&[
        ("local_group", Recipe { before: "MPI_Group {n}; PMPI_Group_incl(everyone, 1, &me, &{n});", ..value("{n}") }),
        ("remote_group", value("others")),
        ("remote_leader", value("0")),
    ]),
    exception(&["Intercomm_merge"]).with(&[("intercomm", value("inter")), ("high", value("me"))]),
    exception(&["Open_port"])
        .with(&[("port_name", Recipe { before: "char {n}[MPI_MAX_PORT_NAME] = \"\";", ..value("{n}") })]),
    // MPICH 4 takes an empty name for a port and closes it.
    exception(&["Close_port"]).with(&[(
        "port_name",
        Recipe {
            before: "char {n}[MPI_MAX_PORT_NAME] = \"no port\"; PMPI_Open_port(MPI_INFO_NULL, {n});",
            ..value("{n}")
        },
    )]),
    exception(&["Comm_accept"])
        .with(&[("port_name", value("port")), ("comm", value("MPI_COMM_SELF")), ("newcomm", CONNECTED)])
        .counterpart(
            "MPI_Comm joined; PMPI_Comm_connect(open_port(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined);
            PMPI_Comm_disconnect(&joined);",
        )
        .begin("open_port();"),
    exception(&["Comm_connect"])
        .with(&[("port_name", value("port")), ("comm", value("MPI_COMM_SELF")), ("newcomm", CONNECTED)])
        .counterpart(
            "PMPI_Open_port(MPI_INFO_NULL, port); PMPI_Bcast(port, sizeof port, MPI_CHAR, 1, world);
            MPI_Comm joined; PMPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &joined);
            PMPI_Comm_disconnect(&joined);",
        )
        .begin("PMPI_Bcast(port, sizeof port, MPI_CHAR, 1, world);"),
    exception(&["Comm_join"])
        .with(&[("fd", Recipe { before: "int {n} = connection();", free: "close({n});", ..value("{n}") })]),
    exception(&["Publish_name"]).finish("PMPI_Unpublish_name(me ? \"one\" : \"zero\", MPI_INFO_NULL, \"key\");"),
    exception(&["Unpublish_name"]).begin("PMPI_Publish_name(me ? \"one\" : \"zero\", MPI_INFO_NULL, \"key\");"),
    exception(&["Lookup_name"])
        .begin("PMPI_Publish_name(me ? \"one\" : \"zero\", MPI_INFO_NULL, \"key\");")
        .finish("PMPI_Unpublish_name(me ? \"one\" : \"zero\", MPI_INFO_NULL, \"key\");"),
    // Datatypes and operations.
    // Open MPI's Fortran bindings copy as many addresses as there is room for.
    exception(&["Type_set_name", "Type_get_contents*", "Type_get_envelope*"]).with(&[
        ("datatype", value("pair")),
        ("array_of_addresses", UNSEEN),
        ("array_of_datatypes", UNSEEN),
    ]),
    exception(&["Type_set_attr"]).with(&[
        ("datatype", value("pair")),
        ("type_keyval", value("type_key()")),
        ("attribute_val", value("memory")),
    ]),
    exception(&["Type_get_attr", "Type_delete_attr"])
        .with(&[("datatype", value("pair")), ("type_keyval", value("type_key_set()"))]),
    exception(&["Type_free_keyval"]).with(&[("type_keyval", freed!("type_key()"))]),
    exception(&["Type_struct"]).with(&[("array_of_types", array!("MPI_INT, MPI_INT"))]),
    exception(&["Type_match_size"]).with(&[("size", value("4"))]),
    exception(&["Type_create_darray"]).with(&[
        ("size", value("2")),
        ("rank", value("0")),
        ("array_of_psizes", array!("2")),
    ]),
    exception(&["Op_create"]).finish("callbacks = 0;"),
    // Attributes, infos, error handlers.
    exception(&["Comm_get_attr", "Attr_get"])
        .with(&[("comm_keyval", value("MPI_TAG_UB")), ("keyval", value("MPI_TAG_UB"))]),
    exception(&["Comm_set_attr", "Attr_put"]).with(&[
        ("comm_keyval", value("comm_key()")),
        ("keyval", value("comm_key()")),
        ("attribute_val", value("memory")),
    ]),
    exception(&["Comm_delete_attr", "Attr_delete"])
        .with(&[("comm_keyval", value("comm_key_set()")), ("keyval", value("comm_key_set()"))]),
    exception(&["Comm_free_keyval", "Keyval_free"])
        .with(&[("comm_keyval", freed!("comm_key()")), ("keyval", freed!("comm_key()"))]),
    exception(&["Win_get_attr"]).with(&[("win_keyval", value("MPI_WIN_DISP_UNIT"))]),
    exception(&["Win_set_attr"]).with(&[("win_keyval", value("win_key()")), ("attribute_val", value("memory"))]),
    exception(&["Win_delete_attr"]).with(&[(
        "win_keyval",
        Recipe { before: "int {n} = win_key(); PMPI_Win_set_attr(win_, {n}, memory);", ..value("{n}") },
    )]),
    exception(&["Win_free_keyval"]).with(&[("win_keyval", freed!("win_key()"))]),
    exception(&["Info_create_env"]).with(&[("argv", CHILD)]),
    exception(&[
        "Info_delete",
        "Info_dup",
        "Info_set",
        "Info_get",
        "Info_get_nkeys",
        "Info_get_string",
        "Comm_set_info",
        "Win_set_info",
        "File_set_info",
    ])
    .with(&[("info", OWN_INFO), ("buflen", LENGTH)]),
    exception(&["Info_get_nthkey"]).with(&[("info", OWN_INFO), ("n", value("0"))]),
    exception(&["Info_get_valuelen"]).with(&[("info", OWN_INFO), ("valuelen", RESULTS)]),
    exception(&["Add_error_class", "Error_class"]).with(&[("errorclass", RESULTS)]),
    exception(&["Add_error_code"]).with(&[("errorclass", value("error_class()")), ("errorcode", RESULTS)]),
    exception(&["Add_error_string", "Remove_error_code"]).with(&[("errorcode", value("error_code()"))]),
    exception(&["Remove_error_class"]).with(&[("errorclass", value("error_class()"))]),
    exception(&["Remove_error_string"]).with(&[(
        "errorcode",
        Recipe { before: "int {n} = error_code(); PMPI_Add_error_string({n}, \"text\");", ..value("{n}") },
    )]),
    // Buffers.
    exception(&["Buffer_attach"])
        .with(&[("buffer", value("attached")), ("size", value("sizeof attached"))])
        .begin("PMPI_Buffer_detach(&(void *){0}, &(int){0});"),
    exception(&["Buffer_detach"]).finish("PMPI_Buffer_attach(attached, sizeof attached);"),
    exception(&["Session_attach_buffer"])
        .with(&[("buffer", Recipe { before: "static char {n}[4096];", ..value("{n}") }), ("size", value("4096"))]),
    exception(&["Comm_attach_buffer"])
        .with(&[("buffer", Recipe { before: "static char {n}[4096];", ..value("{n}") }), ("size", value("4096"))])
        .finish("PMPI_Comm_detach_buffer(world, &(void *){0}, &(int){0});"),
    exception(&["Comm_detach_buffer"])
        .begin("static char small[4096]; PMPI_Comm_attach_buffer(world, small, sizeof small);"),
    // The tool information interface.
    exception(&["T_category_get_index"]).with(&[("name", value("category()")), ("cat_index", RESULTS)]),
    exception(&["T_cvar_get_index"]).with(&[("name", value("variable()")), ("cvar_index", RESULTS)]),
    exception(&["T_cvar_handle_alloc"]).finish("PMPI_T_cvar_handle_free(&handle_);"),
    exception(&["T_cvar_write"]).begin("PMPI_T_cvar_read(handle_, buf_);"),
    exception(&["T_pvar_get_index"]).with(&[("pvar_index", RESULTS)]),
    exception(&["T_pvar_get_info"]).with(&[("var_class", RESULTS)]),
    // The engine's own time and polls.
    exception(&["T_pvar_read", "T_pvar_readreset", "T_pvar_write"])
        .with(&[("buf", Recipe { before: "char {n}[4096] = \"\";", ..value("{n}") })]),
    exception(&["T_event_get_index"]).with(&[("event_index", RESULTS)]),
    exception(&["T_event_get_source"]).with(&[("source_index", RESULTS)]),
    exception(&["T_source_get_timestamp"]).with(&[("timestamp", UNSEEN)]),
    exception(&["T_init_thread"]).finish("PMPI_T_finalize();"),
    exception(&["T_finalize"]).begin("int level; PMPI_T_init_thread(MPI_THREAD_SINGLE, &level);"),
    exception(&["T_enum_get_item"]).with(&[("indx", value("0"))]),
    // Queries.
    exception(&["Abi_?et_fortran_booleans"]).with(&[
        ("logical_size", value("4")),
        ("logical_true", RESULTS),
        ("logical_false", RESULTS),
    ]),
    exception(&["Address", "Get_address"]).with(&[("address", UNSEEN)]),
    exception(&["Session_get_nth_pset"]).with(&[("pset_len", LENGTH), ("pset_name", TEXT)]),
    exception(&["Status_f2c", "Status_f082c"]).with(&[("c_status", NOT_IGNORED)]),
    exception(&["Status_set_*"]).with(&[("status", REAL_STATUS)]),
];

/// Output arguments whose names mean an input elsewhere.
const RESULTS: Recipe =
    Recipe { before: "int {n}[64]; BLANK({n});", show: "show(\"{a}\", {n}, sizeof {n});", ..value("{n}") };
const TEXT: Recipe =
    Recipe { before: "char {n}[8192] = \"\";", show: "fprintf(out, \" {a} \\\"%s\\\"\", {n});", ..value("{n}") };
