//! `overhear top`: where the ranks of a running program are, once or as a screen that is drawn again every second.

mod feed;
mod nodes;
mod screen;

use std::io::ErrorKind;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::print::{print, print_text};
use crate::cli;
use metrics::top;
use model::error::{Error, OK, PARTIAL};
use model::named_or_newest;
use model::sites::Sites;
use model::watch::Watch;
use nodes::NodeReaders;
use tables::Report;
use tables::schema::Schema;
use tables::terminal;

/// Between the two moments that rates are of, where one frame is asked for.
const BETWEEN: Duration = Duration::from_millis(200);
/// Between two frames of the screen, and two lines of a reader on a node.
const SECOND: Duration = Duration::from_secs(1);
/// How long one frame waits for readers on other nodes.
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
        return screen::run(&folder, watch, nodes, !arguments.no_cache).map(|()| OK);
    }
    watch.look()?;
    let notes = nodes.map_or_else(Vec::new, |nodes| hear(nodes, &mut watch));
    let status = if notes.is_empty() { OK } else { PARTIAL };
    if arguments.metrics {
        notes.iter().for_each(|note| terminal::say(note));
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

/// Waits until each reader has told of its ranks, or it would take too long. What there is to say of those that have not.
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

/// Looks, or leaves a folder that has no traces or has not been there yet as it is: they may come. One that is gone is not waited for.
fn look_or_wait(watch: &mut Watch) -> Result<(), Error> {
    match watch.look() {
        Err(Error::NoTraces { .. }) => Ok(()),
        Err(Error::NoFolder { source, .. }) if source.kind() == ErrorKind::NotFound && !watch.has_seen_traces() => {
            Ok(())
        }
        looked => looked,
    }
}

/// The ranks' places and rates.
fn report(watch: &Watch, sites: &Sites) -> Report {
    Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![top::table(watch, sites).into()] }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("top").table::<top::TopRow>()
}
