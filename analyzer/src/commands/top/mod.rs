//! `overhear top`: positions of a running program's ranks, once or as a screen that is redrawn every second.

mod choice;
mod draw;
mod feed;
mod history;
mod nodes;
mod screen;

use std::io::ErrorKind;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::print::{print, print_text};
use crate::cli;
use metrics::stacks::{StackRow, stacks};
use metrics::top;
use model::error::{Error, OK, PARTIAL};
use model::sites::Sites;
use model::watch::Watch;
use model::{Run, named_or_newest};
use nodes::NodeReaders;
use tables::schema::Schema;
use tables::terminal;
use tables::{Fact, Report, Table, Value};

/// Time between the two looks of a single frame, for rates.
const BETWEEN: Duration = Duration::from_millis(200);
/// Time between two frames of the screen, and between two lines of a reader on a node.
const SECOND: Duration = Duration::from_secs(1);
/// Longest wait of a single frame for readers on other nodes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Prints one frame, or draws until the user quits. Returns the exit status.
pub fn run(arguments: &cli::TopArgs) -> Result<u8, Error> {
    let folder = named_or_newest(arguments.dir.as_deref())?;
    if let Some(host) = &arguments.feed {
        return feed::run(&folder, host);
    }
    let mut watch = Watch::new(&folder);
    let nodes = arguments.launcher.map(|launcher| NodeReaders::new(launcher, &folder)).transpose()?;
    if !arguments.once && !arguments.metrics {
        return screen::run(&folder, watch, nodes, !arguments.no_cache, arguments.print.sort.clone()).map(|()| OK);
    }
    watch.look()?;
    if watch.ranks.is_empty() {
        // It says why no file can be read.
        Run::load(&folder)?;
    }
    let notes = nodes.map_or_else(Vec::new, |nodes| hear(nodes, &mut watch));
    let status = if notes.is_empty() { OK } else { PARTIAL };
    if arguments.metrics {
        for note in &notes {
            terminal::say(note);
        }
        watch.look()?;
        print_text(&top::open_metrics(&watch))?;
        return Ok(status);
    }
    sleep(BETWEEN);
    watch.look()?;
    let sites = Sites::load(&folder, &watch.ranks, !arguments.no_cache);
    print(Report { warnings: notes, ..report(&watch, &sites) }, "top", &arguments.print)?;
    Ok(status)
}

/// Waits until each reader has reported its ranks, or has taken too long. Returns notes about the missing ones.
fn hear(mut nodes: NodeReaders, watch: &mut Watch) -> Vec<String> {
    let began = Instant::now();
    loop {
        nodes.follow(watch);
        if nodes.have_spoken() || began.elapsed() > PATIENCE {
            return nodes.notes();
        }
        sleep(BETWEEN / 10);
    }
}

/// Looks. A folder without traces, or one that does not exist yet, is no error; one that is gone is.
fn look_or_wait(watch: &mut Watch) -> Result<(), Error> {
    match watch.look() {
        Err(Error::NoTraces { .. } | Error::FolderOfRuns { .. } | Error::NotBegun { .. }) => Ok(()),
        Err(Error::NoFolder { source, .. }) if source.kind() == ErrorKind::NotFound && !watch.has_seen_traces() => {
            Ok(())
        }
        looked => looked,
    }
}

/// The functions that the ranks are in.
fn stacks_of(watch: &Watch, sites: &Sites) -> Table<StackRow> {
    let spots = watch.ranks.iter().zip(&watch.views).map(|(rank, view)| (rank, view.spot));
    stacks(spots, sites)
}

fn report(watch: &Watch, sites: &Sites) -> Report {
    let verdict = Value::Text(top::verdict(watch, sites));
    let facts = vec![Fact::new(top::VERDICT, "now", verdict)];
    let tables = vec![top::table(watch, sites).asked().into(), stacks_of(watch, sites).into()];
    Report { facts, warnings: Vec::new(), tables }
}

pub fn schema() -> Schema {
    Schema::of("top").facts(top::FACTS).table::<top::TopRow>().table::<StackRow>()
}
