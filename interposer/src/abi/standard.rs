//! The standard ABI of MPI 5.0: handles are pointers, and those of predefined objects small numbers.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::calls::Call;
use traces::file::Abi;

use super::{CountAt, Family, no_requests};
use crate::real;

const STATUS_SIZE: usize = 32;
const BYTE: u64 = 0x247;

/// True if this library stores a status's count as [`CountAt::Split`]; set by [`learn_status_layout`].
pub static SPLIT: AtomicBool = AtomicBool::new(false);

pub fn family() -> Family {
    Family {
        abi: Abi::Standard,
        handle_mask: u64::MAX,
        handle_size: 8,
        status_size: STATUS_SIZE,
        source_at: 0,
        tag_at: 4,
        error_at: 8,
        count: CountAt::SplitIfSettled(12),
        any_source: -1,
        any_tag: -2,
        proc_null: -3,
        root: -4,
        err_truncate: 15,
        err_in_status: 19,
        in_place: 1,
        status_ignore: 0,
        comm_world: 0x101,
        comm_self: 0x102,
        request_null: 0x180,
        byte: BYTE,
        errors_return: 0x143,
        info_null: 0x130,
        // Byte, char, short, int, long, long long, unsigned, unsigned long, float, double, integers of fixed size,
        // Fortran's INTEGER, REAL and DOUBLE PRECISION.
        common_datatypes: vec![
            BYTE, 0x243, 0x208, 0x209, 0x20a, 0x20b, 0x20d, 0x20e, 0x210, 0x214, 0x250, 0x258, 0x251, 0x259, 0x219,
            0x21a, 0x21c,
        ],
        message_no_proc: 0x129,
        // Communicator, datatype, window, file, request, message.
        nulls: vec![0x100, 0x200, 0x110, 0x118, 0x180, 0x128, 0],
        shared_requests: no_requests(),
        idle_classes: [9, 7],
        bound_to_none: 1,
        topologies: [212, 211, 213],
        locks: [301, 302],
        thread_step: 1024,
    }
}

/// Tests, once MPI is initialized, if this library stores a status's count where known libraries do. The standard
/// leaves the place to the library.
pub fn learn_status_layout() {
    const BYTES: u64 = 0x1_2345_6789;
    let mut status = [0u32; STATUS_SIZE / 4];
    // SAFETY: the status has the size of the standard ABI, and MPI is initialized.
    let code = unsafe {
        let arguments = [status.as_mut_ptr() as usize, BYTE as usize, BYTES as usize];
        real::invoke(Call::Status_set_elements.large(), arguments)
    };
    let split = (BYTES as u32, ((BYTES >> 32) as u32) << 1);
    SPLIT.store(code == 0 && (status[3], status[4]) == split, Relaxed);
}
