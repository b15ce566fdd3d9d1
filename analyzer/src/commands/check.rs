//! `overhear check`: whether the ranks' accounts agree.

use super::print::{print, shorten};
use crate::cli;
use crate::error::{DIFFERENT, Error, OK, PARTIAL};
use crate::metrics::{check, overview, waits};
use crate::model::Run;
use crate::model::matching::{Follow, settled};
use crate::report::Report;

/// Rows that people are shown of each table.
const ROWS: usize = 20;

/// Prints what was matched and what was not. Returns the exit status.
pub fn run(arguments: &cli::Check) -> Result<u8, Error> {
    let run = Run::select(&arguments.dir, &arguments.select.choice())?;
    run.has_calls("check")?;
    let settled = settled(&run, Follow::Sums)?;
    let account = &settled.account;
    let mut facts = overview::facts(&run);
    facts.extend(check::facts(&settled));
    let mut warnings = waits::unmatched(&run, account);
    let unmatched = !warnings.is_empty();
    let mut tables = vec![check::pairs(&run, account), check::clocks(&run, &settled), check::unmatched(&run, account)];
    tables.retain(|table| !arguments.print.is_text() || !table.rows.is_empty());
    tables.iter_mut().for_each(|table| shorten(table, ROWS, &arguments.print, &mut warnings));
    warnings.extend(overview::warnings(&run));
    print(&Report { facts, warnings, tables }, "check", &arguments.print)?;
    Ok(match run.is_partial() {
        true => PARTIAL,
        false if unmatched || account.backwards() > 0 => DIFFERENT,
        false => OK,
    })
}
