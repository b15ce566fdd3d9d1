//! `overhear check`: whether the ranks' accounts agree.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::check;
use metrics::waits;
use model::error::{DIFFERENT, Error, OK, PARTIAL};

/// Prints what was matched and what was not. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    let settled = check::matched(&run)?;
    print(check::report(&run, &settled), "check", &arguments.print)?;
    let account = &settled.account;
    Ok(match run.is_partial() {
        true => PARTIAL,
        false if !waits::unmatched(&run, account).is_empty() || account.backwards() > 0 => DIFFERENT,
        false => OK,
    })
}
