//! The functions that are recorded: every call asks, so the user's filter is unrolled into a flag for each function.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::call_filter::Filter;
use traces::calls::Call;

use crate::each_call::EachCall;

pub struct FunctionFilter(EachCall<AtomicBool>);

impl FunctionFilter {
    pub const fn closed() -> FunctionFilter {
        FunctionFilter(EachCall::new([const { AtomicBool::new(false) }; Call::LIMIT]))
    }

    /// Sets the user's filter, which decides from now on.
    pub fn choose(&self, filter: &Filter) {
        for call in Call::all() {
            self.0.of(call).store(filter.records(call), Relaxed);
        }
    }

    #[inline(always)]
    pub fn records(&self, call: Call) -> bool {
        self.0.of(call).load(Relaxed)
    }
}
