//! Which functions are recorded.

use traces::calls::Call;
use traces::settings::Filter;

use recorder_core::function_filter::FunctionFilter;

static RECORDED: FunctionFilter = FunctionFilter::closed();

/// From here on those that the filter lets through.
pub fn choose(filter: &Filter) {
    RECORDED.choose(filter);
}

/// Whether calls of this function are recorded.
#[inline(always)]
pub fn records(call: Call) -> bool {
    RECORDED.records(call)
}
