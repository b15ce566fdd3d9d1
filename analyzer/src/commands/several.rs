//! Runs that are compared with each other: read one after another, so that there is never more than one in memory.

use std::path::PathBuf;

use metrics::compare::{Figures, figures};
use metrics::overview;
use model::error::Error;
use model::{Choice, Run};

/// What was read of several runs.
pub struct SeveralRuns {
    /// Their figures, in the order of the folders.
    pub figures: Vec<Figures>,
    /// What a reader has to know, with the name of the run it is of.
    pub warnings: Vec<String>,
    /// Some of the data is missing.
    pub is_partial: bool,
}

impl SeveralRuns {
    /// Reads what is chosen of the runs in these folders. `name` is what warnings call the one at a place; `add` adds what
    /// this comparison alone asks.
    pub fn read(
        folders: &[PathBuf],
        choice: &Choice,
        name: impl Fn(usize) -> String,
        add: impl Fn(&Run, &mut Figures),
    ) -> Result<SeveralRuns, Error> {
        let mut runs = SeveralRuns { figures: Vec::new(), warnings: Vec::new(), is_partial: false };
        for (at, folder) in folders.iter().enumerate() {
            let run = Run::select(folder, choice)?;
            let mut figures = figures(&run);
            add(&run, &mut figures);
            let said = figures.warnings.iter().cloned().chain(overview::warnings(&run));
            runs.warnings.extend(said.map(|said| format!("{}: {said}", name(at))));
            runs.is_partial |= run.is_partial();
            runs.figures.push(figures);
        }
        Ok(runs)
    }
}
