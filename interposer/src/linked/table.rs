//! The table of MPI's names and their addresses, filled by the linker.
//!
//! Names that every MPI has are strong references, so that the linker takes the functions out of a static library. All
//! others are weak, and null if nothing defines them.

use std::arch::global_asm;
use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// Adds a name to the table, a section that the linker keeps, since `BEGIN` and `END` refer to its bounds.
macro_rules! name {
    (core $name:expr) => {
        name!(@add $name, "");
    };
    (late $name:expr) => {
        name!(@add $name, concat!(".weak ", $name));
    };
    (@add $name:expr, $weak:expr) => {
        global_asm!(
            ".pushsection .rodata.overhear_names,\"a\",@progbits",
            concat!("2: .asciz \"", $name, "\""),
            ".popsection",
            ".pushsection overhear_linked,\"awR\",@progbits",
            $weak,
            concat!(".quad 2b, ", $name),
            ".popsection",
        );
    };
}

macro_rules! function {
    // We do not export it, yet every MPI has it.
    (Get_library_version late) => {
        name!(core "PMPI_Get_library_version");
    };
    ($name:ident $reach:ident) => {
        name!($reach concat!("PMPI_", stringify!($name)));
    };
}

macro_rules! functions {
    ($($id:literal $name:ident $class:ident $reach:ident $(+ $large:ident)?
       ($($argument:tt)*) $(-> $returns:ident)?;)*) => {
        $(
            function!($name $reach);
            $(name!(late concat!("PMPI_", stringify!($name), "_", stringify!($large)));)?
        )*
    };
}

traces::calls!(functions);

macro_rules! objects {
    ($($name:ident)*) => {
        $(name!(late stringify!($name));)*
    };
}

// The objects whose addresses are Open MPI's handles.
objects!(
    ompi_mpi_comm_world ompi_mpi_comm_self ompi_mpi_comm_null ompi_request_null ompi_message_null ompi_message_no_proc
    ompi_mpi_errors_return ompi_mpi_datatype_null ompi_mpi_win_null ompi_mpi_file_null ompi_mpi_byte ompi_mpi_char
    ompi_mpi_short ompi_mpi_int ompi_mpi_long ompi_mpi_long_long_int ompi_mpi_unsigned ompi_mpi_unsigned_long
    ompi_mpi_float ompi_mpi_double ompi_mpi_int32_t ompi_mpi_int64_t ompi_mpi_uint32_t ompi_mpi_uint64_t
    ompi_mpi_cxx_cplex ompi_mpi_c_double_complex ompi_mpi_integer ompi_mpi_real ompi_mpi_dblprec
);

#[repr(C)]
struct LinkedObject {
    name: *const c_char,
    address: usize,
}

unsafe extern "C" {
    #[link_name = "__start_overhear_linked"]
    static BEGIN: [LinkedObject; 0];
    #[link_name = "__stop_overhear_linked"]
    static END: [LinkedObject; 0];
}

/// The address of a function or an object of the MPI library.
pub fn find(name: &str) -> Option<usize> {
    static TABLE: OnceLock<HashMap<&'static [u8], usize>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let (begin, end) = (&raw const BEGIN, &raw const END);
        let length = (end.addr() - begin.addr()) / size_of::<LinkedObject>();
        // SAFETY: between the two lie the entries made above, whose names are terminated.
        let entries = unsafe { std::slice::from_raw_parts(begin.cast::<LinkedObject>(), length) };
        let linked = entries.iter().filter(|entry| entry.address != 0);
        // SAFETY: as above.
        linked.map(|entry| (unsafe { CStr::from_ptr(entry.name) }.to_bytes(), entry.address)).collect()
    });
    table.get(name.as_bytes()).copied()
}
