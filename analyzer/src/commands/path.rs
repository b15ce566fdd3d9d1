//! `overhear path`: the critical path.

use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{critical, overview, waits};
use crate::model::matching::{Follow, Settled, settled};
use crate::model::{Run, critical::path, critical::places};
use crate::report::{Format, Report};

/// Rows that people are shown.
const ROWS: usize = 15;

/// Prints what lies on the critical path. Returns the exit status.
pub fn run(arguments: &cli::Path) -> Result<u8, Error> {
    let run = Run::load(&arguments.dir)?;
    let Settled { mut account, timeline, .. } = settled(&run, Follow::Waits)?;
    let path = path(std::mem::take(&mut account.waits.jumps), &account.links);
    let places = places(&run, &timeline, &path)?;
    let mut facts = overview::facts(&run);
    facts.extend(critical::facts(&path, &places));
    let mut warnings = waits::unmatched(&run, &account);
    let mut tables = vec![critical::table(&run, &places), critical::ranks(&run, &path)];
    if arguments.format == Format::Text {
        for table in &mut tables {
            let more = table.rows.len().saturating_sub(ROWS);
            table.rows.truncate(ROWS);
            if more > 0 {
                warnings.push(format!("{more} more rows of {}: --format json", table.name));
            }
        }
    }
    warnings.extend(overview::warnings(&run));
    super::report::print(&Report { facts, warnings, tables }, "path", arguments.format, arguments.output.as_deref())?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
