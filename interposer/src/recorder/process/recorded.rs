//! Which functions are recorded, and which go to MPI at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::calls::Call;
use traces::settings::Filter;

use recorder_core::each_call::EachCall;
use recorder_core::function_filter::FunctionFilter;

static RECORDED: FunctionFilter = FunctionFilter::closed();

/// Functions whose wrappers go on to MPI with their first instructions, before anything else is looked at.
pub static FORWARDED: EachCall<AtomicBool> = EachCall::new([const { AtomicBool::new(false) }; Call::LIMIT]);

/// Where a function is in [`FORWARDED`], in bytes.
pub const fn place(call: Call) -> usize {
    call.number() as usize
}

/// From here on those that the filter lets through are recorded. The others go to MPI at once, but for those that `concern` the
/// recorder all the same.
pub fn choose(filter: &Filter, concern: impl Fn(Call) -> bool) {
    RECORDED.choose(filter);
    forward(|call| !filter.records(call) && !concern(call));
}

/// Nothing is recorded: all go to MPI at once but for those that `concern` the recorder all the same.
pub fn forward_all(concern: impl Fn(Call) -> bool) {
    forward(|call| !concern(call));
}

fn forward(is_meant: impl Fn(Call) -> bool) {
    for call in Call::all() {
        FORWARDED.of(call).store(is_meant(call), Relaxed);
    }
}

/// Whether calls of this function are recorded.
#[inline(always)]
pub fn records(call: Call) -> bool {
    RECORDED.records(call)
}
