//! `overhear diff A B --html`: two runs on one page.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::commands::timeline;
use metrics::programs;
use model::error::Error;
use model::{Choice, Run, output};
use pictures::page::{PairPage, PairRun};
use tables::Report;

/// Writes the page of a comparison, with the timelines of these runs.
pub fn write(
    file: &Path,
    force: bool,
    [a, b]: [&PathBuf; 2],
    choice: &Choice,
    report: Report,
    sentences: Vec<String>,
) -> Result<(), Error> {
    let failed = |source| Error::Write { path: file.into(), source };
    // Created first, so an unwritable folder fails before the work.
    let mut out = output::create(file).map_err(failed)?;
    let runs = [of_run(a, choice, (file, "-a"), force)?, of_run(b, choice, (file, "-b"), force)?];
    let html = PairPage { runs, sentences, report }.html();
    out.write_all(html.as_bytes()).and_then(|()| out.finish()).map_err(failed)
}

fn of_run(folder: &Path, choice: &Choice, place: (&Path, &str), force: bool) -> Result<PairRun, Error> {
    let run = Run::select(folder, choice)?;
    let program = programs::command(run.first());
    let timeline = match run.has_calls("a timeline") {
        Ok(()) => Ok(timeline::in_page(&run, (choice.from, choice.to), place, force)?),
        Err(why) => Err(why.to_string()),
    };
    Ok(PairRun { program, ranks: run.size(), timeline })
}
