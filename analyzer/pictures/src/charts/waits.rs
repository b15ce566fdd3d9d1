//! Waits by their state.

use super::{most, seconds};
use crate::plot::{BarRow, Bars};
use metrics::waits::states;
use model::Run;
use model::matching::Account;
use tables::Sheet;

/// Waiting of all ranks, with the error of the clocks.
pub fn wait_states(run: &Run, account: &Account) -> Bars {
    let sheet = Sheet::from(states(run, account));
    let ends = |row| {
        let (time, error) = (sheet.number(row, "wait_s")?, sheet.number(row, "error_s")?);
        Some(((time - error).max(0.0), time + error))
    };
    let bar = |row| BarRow { intervals: vec![ends(row)], ..BarRow::default() };
    most("wait states", seconds("time of all ranks, with the clocks' error"), &sheet, "wait_state", "wait_s", bar)
}
