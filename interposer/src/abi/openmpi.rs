//! Open MPI's ABI: handles are the addresses of its objects.

use traces::file::Abi;

use super::{CountAt, Family, no_requests};
use crate::real::MpiLibrary;
use crate::symbol;

pub fn family(library: &MpiLibrary) -> Family {
    let object = |name: &str| address(library, name);
    Family {
        abi: Abi::OpenMpi,
        handle_mask: u64::MAX,
        handle_size: 8,
        status_size: 24,
        source_at: 0,
        tag_at: 4,
        error_at: 8,
        count: CountAt::Word(16),
        any_source: -1,
        any_tag: -1,
        proc_null: -2,
        root: -4,
        err_truncate: 15,
        err_in_status: 18,
        in_place: 1,
        status_ignore: 0,
        comm_world: object("ompi_mpi_comm_world"),
        comm_self: object("ompi_mpi_comm_self"),
        request_null: object("ompi_request_null"),
        byte: object("ompi_mpi_byte"),
        errors_return: object("ompi_mpi_errors_return"),
        info_null: object("ompi_mpi_info_null"),
        common_datatypes: [
            "byte",
            "char",
            "short",
            "int",
            "long",
            "long_long_int",
            "unsigned",
            "unsigned_long",
            "float",
            "double",
            "int32_t",
            "int64_t",
            "uint32_t",
            "uint64_t",
            "cxx_cplex",
            "c_double_complex",
            "integer",
            "real",
            "dblprec",
        ]
        .map(|name| object(&format!("ompi_mpi_{name}")))
        .to_vec(),
        message_no_proc: object("ompi_message_no_proc"),
        nulls: [
            "ompi_mpi_comm_null",
            "ompi_mpi_datatype_null",
            "ompi_mpi_win_null",
            "ompi_mpi_file_null",
            "ompi_request_null",
            "ompi_message_null",
        ]
        .into_iter()
        .map(object)
        .chain([0])
        .collect(),
        shared_requests: no_requests(),
        idle_classes: [8, 6],
        bound_to_none: 0,
        topologies: [2, 1, 3],
        locks: [1, 2],
        thread_step: 1,
    }
}

/// The address that the program uses for an object of the library. A program that is not position-independent contains
/// a copy of the object, whose address then takes precedence over the library's.
fn address(library: &MpiLibrary, name: &str) -> u64 {
    let global = symbol::first(&std::ffi::CString::new(name).unwrap_or_default());
    global.or_else(|| library.find(name)).unwrap_or(0) as u64
}
