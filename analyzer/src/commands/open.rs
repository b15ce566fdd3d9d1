//! The run to analyze: the one named, or the newest in the working folder.

use std::path::Path;

use crate::cli;
use crate::loading_bar::LoadingBar;
use model::error::Error;
use model::{Choice, Run};

/// Reads what is to be looked at of the run.
pub fn open(asked: &cli::OneRun) -> Result<Run, Error> {
    choose(asked, asked.select.choice())
}

/// Reads what is chosen of the run.
pub fn choose(asked: &cli::OneRun, choice: Choice) -> Result<Run, Error> {
    open_run(asked.dir.as_deref(), choice)
}

/// Reads what is chosen of the run in a folder, or of the newest. A bar shows slow loads.
pub fn open_run(folder: Option<&Path>, choice: Choice) -> Result<Run, Error> {
    let bar = LoadingBar::new("reading");
    Run::open(folder, choice, &|done, total| bar.show(done, total))
}
