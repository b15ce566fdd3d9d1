//! Which functions are recorded, as every call asks.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::calls::Call;
use traces::settings::Filter;

use crate::each_call::EachCall;

/// See the module.
pub struct FunctionFilter(EachCall<AtomicBool>);

impl FunctionFilter {
    /// None.
    pub const fn closed() -> FunctionFilter {
        FunctionFilter(EachCall::new([const { AtomicBool::new(false) }; Call::LIMIT]))
    }

    /// From here on those that the user's filter lets through.
    pub fn choose(&self, filter: &Filter) {
        Call::all().for_each(|call| self.0.of(call).store(filter.records(call), Relaxed));
    }

    /// Whether calls of this function are recorded.
    #[inline(always)]
    pub fn records(&self, call: Call) -> bool {
        self.0.of(call).load(Relaxed)
    }
}
