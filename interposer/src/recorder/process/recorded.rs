//! The functions that are recorded, and those that are forwarded to MPI at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::call_filter::Filter;
use traces::calls::Call;

use recorder_core::each_call::EachCall;
use recorder_core::function_filter::FunctionFilter;

static RECORDED: FunctionFilter = FunctionFilter::closed();

/// Functions whose wrappers jump to MPI with their first instructions.
pub static FORWARDED: EachCall<AtomicBool> = EachCall::new([const { AtomicBool::new(false) }; Call::LIMIT]);

/// The byte offset of a function's flag in [`FORWARDED`].
pub const fn place(call: Call) -> usize {
    call.number() as usize
}

/// Records the functions that the filter lets through, and forwards the others, except those that `concern` the
/// recorder anyway.
pub fn choose(filter: &Filter, concern: impl Fn(Call) -> bool) {
    RECORDED.choose(filter);
    forward(|call| !filter.records(call) && !concern(call));
}

/// Forwards all functions, except those that `concern` the recorder anyway.
pub fn forward_all(concern: impl Fn(Call) -> bool) {
    forward(|call| !concern(call));
}

fn forward(is_meant: impl Fn(Call) -> bool) {
    for call in Call::all() {
        FORWARDED.of(call).store(is_meant(call), Relaxed);
    }
}

#[inline(always)]
pub fn records(call: Call) -> bool {
    RECORDED.records(call)
}
