//! Functions that are skipped, or called in a run of their own.

use super::style::Style;
use crate::machine::is_aarch64_meant;
use crate::mpi::Mpi;

/// Stands for every library under an emulator.
const EMULATED: &str = "emulated";

/// Libraries, functions, and a reason.
pub type List = (&'static [&'static str], &'static [&'static str], &'static str);

/// Functions that need a name server or create processes.
pub const DYNAMIC: &[&str] = &[
    "MPI_Close_port",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Open_port",
];

/// Functions that end the process or never return even without the recorder.
pub const CANNOT: &[List] = &[
    (
        &["mpich4", "mpich5", "mpich5abi", "impi", "impiabi"],
        &[
            "MPI_T_event_callback_get_info",
            "MPI_T_event_copy",
            "MPI_T_event_get_source",
            "MPI_T_event_get_timestamp",
            "MPI_T_event_handle_free",
            "MPI_T_event_handle_get_info",
            "MPI_T_event_read",
            "MPI_T_event_register_callback",
            "MPI_T_event_set_dropped_handler",
        ],
        "there is no event, and none that is given is looked into",
    ),
    (
        &["mpich4", "mpich5", "mpich5abi"],
        &["MPI_T_pvar_get_info", "MPI_T_pvar_handle_alloc", "MPI_T_pvar_handle_free"],
        "there is no performance variable, and the first is looked into",
    ),
    (
        &["mpich5abi"],
        &[
            "MPI_T_pvar_read",
            "MPI_T_pvar_readreset",
            "MPI_T_pvar_reset",
            "MPI_T_pvar_start",
            "MPI_T_pvar_stop",
            "MPI_T_pvar_write",
        ],
        "there is no performance variable, and MPI_T_PVAR_ALL_HANDLES is looked into",
    ),
    (&["mpich4", "impi", "impiabi"], &["MPI_Session_call_errhandler"], "it aborts whatever the error handler"),
    (
        &["impiabi"],
        &[
            "MPI_Abi_get_fortran_booleans",
            "MPI_Abi_set_fortran_booleans",
            "MPI_Abi_set_fortran_info",
            "MPI_Comm_call_errhandler",
            "MPI_Win_call_errhandler",
        ],
        "their errors abort whatever the error handler",
    ),
    (&["mpich5"], &["MPI_Comm_accept", "MPI_Comm_connect"], "they never return where ranks share a host"),
    (&[EMULATED], VARYING, "a launcher runs what is spawned without the emulator"),
    (&["impi", "impiabi"], DYNAMIC, "dynamic processes end in SIGSEGV where the launcher has no name server"),
];

/// Functions that are called in a run of their own.
pub const APART: &[List] = &[(
    &["impi", "impiabi"],
    &[
        "MPI_Raccumulate",
        "MPI_Raccumulate_c",
        "MPI_Rget",
        "MPI_Rget_accumulate",
        "MPI_Rget_accumulate_c",
        "MPI_Rget_c",
        "MPI_Rput",
        "MPI_Rput_c",
    ],
    "they end in SIGSEGV when the request of a persistent collective call was freed before",
)];

/// Functions that fail now and then even without the recorder: a child process is awaited, and may be late on a busy
/// machine.
pub const VARYING: &[&str] = &["MPI_Comm_spawn", "MPI_Comm_spawn_multiple"];

/// Functions that the lists name for a library.
pub fn listed(lists: &[List], mpi: &Mpi) -> Vec<&'static str> {
    let is_here = |name: &&str| *name == mpi.name || *name == EMULATED && is_aarch64_meant();
    let here = lists.iter().filter(|(under, _, _)| under.iter().any(is_here));
    here.flat_map(|(_, functions, _)| functions.iter().copied()).collect()
}

/// Functions that a Fortran program of a style cannot call.
const NOT_FROM_FORTRAN: &[(Style, List)] = &[
    (Style::Module, (&["mpich4", "impi"], &["MPI_Parrived"], "its flag is declared as an integer")),
    (Style::Module, (&["mpich4", "impi"], &["MPI_Register_datarep"], "MPI_CONVERSION_FN_NULL is not declared")),
    (Style::Module2008, (&["mpich4"], &["MPI_Info_create_env"], "it ends in SIGSEGV, as C gets no command line")),
];

/// Functions that Fortran cannot call in this library and style.
pub fn not_from_fortran(mpi: &Mpi, style: Style) -> Vec<&'static str> {
    let of_style = NOT_FROM_FORTRAN.iter().filter(|(of, _)| *of == style);
    of_style.flat_map(|(_, list)| listed(&[*list], mpi)).collect()
}
