//! `overhear top`: where the ranks of a running program are, once or as a screen that is drawn again every second.

mod screen;

use std::thread::sleep;
use std::time::Duration;

use super::open::folder;
use super::print::{print, print_text};
use crate::cli;
use crate::error::{Error, OK};
use crate::metrics::top;
use crate::model::sites::Sites;
use crate::model::standing::Frame;
use crate::report::Report;
use crate::report::schema::Schema;

/// Between the two moments that rates are of, where one frame is asked for.
const BETWEEN: Duration = Duration::from_millis(200);

/// Prints one frame, or draws until the user quits. Returns the exit status.
pub fn run(arguments: &cli::Top) -> Result<u8, Error> {
    let folder = folder(arguments.dir.as_deref())?;
    let first = Frame::of(&folder)?;
    if arguments.metrics {
        print_text(&top::open_metrics(&first))?;
        return Ok(OK);
    }
    if !arguments.once {
        return screen::run(&folder, first, !arguments.no_cache).map(|()| OK);
    }
    sleep(BETWEEN);
    let now = Frame::of(&folder)?;
    let sites = Sites::load(&folder, &now.ranks, !arguments.no_cache);
    print(report(&first, &now, &sites), "top", &arguments.print)?;
    Ok(OK)
}

/// The ranks' places, and their rates between two moments.
fn report(before: &Frame, now: &Frame, sites: &Sites) -> Report {
    Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![top::table(before, now, sites).into()] }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("top").table::<top::TopRow>()
}
