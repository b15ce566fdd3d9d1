//! Which functions are recorded.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::calls::Call;
use traces::settings::Filter;

static RECORDED: [AtomicBool; Call::LIMIT] = [const { AtomicBool::new(false) }; Call::LIMIT];

/// From here on those that the filter lets through.
pub fn choose(filter: &Filter) {
    for call in Call::all() {
        RECORDED[call.number() as usize].store(filter.records(call), Relaxed);
    }
}

/// Whether calls of this function are recorded.
#[inline(always)]
pub fn records(call: Call) -> bool {
    RECORDED[call.number() as usize].load(Relaxed)
}
