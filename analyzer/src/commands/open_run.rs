//! Opens the run to analyze: the one named, or the newest in the working folder.

use std::path::Path;

use crate::analysis_notice;
use crate::cli;
use crate::loading_bar::LoadingBar;
use model::error::{Error, OK, PARTIAL};
use model::{Choice, Run};

/// Reads the part of a run that the flags choose.
pub fn open(asked: &cli::OneRun) -> Result<&'static Run, Error> {
    choose(asked, asked.select.choice())
}

/// Reads another part of that run. The run stays in memory until the process ends: it is the command's only one, and to
/// free 100,000 ranks takes a second.
pub fn choose(asked: &cli::OneRun, mut choice: Choice) -> Result<&'static Run, Error> {
    choice.naming.is_short = asked.names_are_short();
    open_run(asked.dir.as_deref(), choice).map(|run| &*Box::leak(Box::new(run)))
}

/// Reads a part of the run in a folder, or of the newest run. A bar shows slow loads, and a count of seconds slow analyses.
pub fn open_run(folder: Option<&Path>, choice: Choice) -> Result<Run, Error> {
    analysis_notice::end();
    let bar = LoadingBar::new("reading");
    let run = Run::open(folder, choice, &|done, total| bar.show(done, total))?;
    drop(bar);
    analysis_notice::begin();
    Ok(run)
}

/// Returns the exit status of an analysis of this run.
pub fn status(run: &Run) -> u8 {
    if run.is_partial() { PARTIAL } else { OK }
}
