//! The ABI that MPICH, Intel MPI, MVAPICH and Cray MPICH share: handles are 32-bit integers.

use traces::file::Abi;

use super::{CountAt, Family, no_requests};

pub fn family() -> Family {
    Family {
        abi: Abi::Mpich,
        // The upper half of the register is undefined.
        handle_mask: u32::MAX as u64,
        handle_size: 4,
        status_size: 20,
        source_at: 8,
        tag_at: 12,
        error_at: 16,
        count: CountAt::Split(0),
        any_source: -2,
        any_tag: -1,
        proc_null: -1,
        root: -3,
        err_truncate: 14,
        err_in_status: 17,
        in_place: -1isize as usize,
        status_ignore: 1,
        comm_world: 0x4400_0000,
        comm_self: 0x4400_0001,
        request_null: 0x2c00_0000,
        byte: 0x4c00_010d,
        errors_return: 0x5400_0001,
        info_null: 0x1c00_0000,
        // Handles of predefined datatypes contain their sizes.
        common_datatypes: Vec::new(),
        message_no_proc: 0x6c00_0000,
        // Communicator, datatype, window, request and message, file.
        nulls: vec![0x0400_0000, 0x0c00_0000, 0x2000_0000, 0x2c00_0000, 0],
        shared_requests: no_requests(),
        idle_classes: [248, 246],
        bound_to_none: 9700,
        topologies: [1, 2, 3],
        locks: [234, 235],
        thread_step: 1,
    }
}

/// True for the handle of a predefined object. A predefined request is one that completed at once.
#[inline(always)]
pub fn is_builtin(handle: u64) -> bool {
    const BUILTIN: u64 = 1;
    handle >> 30 == BUILTIN
}

/// The size in bytes of a predefined datatype, from its handle.
#[inline(always)]
pub fn datatype_size(datatype: u64) -> Option<u64> {
    is_builtin(datatype).then_some(datatype >> 8 & 0xff)
}
