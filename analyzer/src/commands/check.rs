//! `overhear check`: whether the ranks' accounts agree.

use crate::cli;
use crate::error::{DIFFERENT, Error, OK, PARTIAL};
use crate::metrics::{check, overview, waits};
use crate::model::Run;
use crate::model::matching::{Follow, settled};
use crate::report::{Format, Report};

/// Rows that people are shown of each table.
const ROWS: usize = 20;

/// Prints what was matched and what was not. Returns the exit status.
pub fn run(arguments: &cli::Check) -> Result<u8, Error> {
    let run = Run::load(&arguments.dir)?;
    let settled = settled(&run, Follow::Sums)?;
    let account = &settled.account;
    let mut facts = overview::facts(&run);
    facts.extend(check::facts(&settled));
    let mut warnings = waits::unmatched(&run, account);
    let unmatched = !warnings.is_empty();
    let mut tables = vec![check::pairs(&run, account), check::clocks(&run, &settled), check::unmatched(&run, account)];
    if arguments.format == Format::Text {
        tables.retain(|table| !table.rows.is_empty());
        for table in &mut tables {
            let more = table.rows.len().saturating_sub(ROWS);
            table.rows.truncate(ROWS);
            if more > 0 {
                warnings.push(format!("{more} more rows of {}: --format json", table.name));
            }
        }
    }
    warnings.extend(overview::warnings(&run));
    super::report::print(&Report { facts, warnings, tables }, "check", arguments.format, arguments.output.as_deref())?;
    Ok(match run.is_partial() {
        true => PARTIAL,
        false if unmatched || account.backwards() > 0 => DIFFERENT,
        false => OK,
    })
}
