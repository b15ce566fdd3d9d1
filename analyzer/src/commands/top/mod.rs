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
use crate::model::watch::Watch;
use crate::report::Report;
use crate::report::schema::Schema;

/// Between the two moments that rates are of, where one frame is asked for.
const BETWEEN: Duration = Duration::from_millis(200);

/// Prints one frame, or draws until the user quits. Returns the exit status.
pub fn run(arguments: &cli::TopArgs) -> Result<u8, Error> {
    let folder = folder(arguments.dir.as_deref())?;
    let mut watch = Watch::new(&folder);
    if !arguments.once && !arguments.metrics {
        return screen::run(&folder, watch, !arguments.no_cache).map(|()| OK);
    }
    watch.look()?;
    if arguments.metrics {
        print_text(&top::open_metrics(&watch))?;
        return Ok(OK);
    }
    sleep(BETWEEN);
    watch.look()?;
    let sites = Sites::load(&folder, &watch.ranks, !arguments.no_cache);
    print(report(&watch, &sites), "top", &arguments.print)?;
    Ok(OK)
}

/// The ranks' places and rates.
fn report(watch: &Watch, sites: &Sites) -> Report {
    Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![top::table(watch, sites).into()] }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("top").table::<top::TopRow>()
}
