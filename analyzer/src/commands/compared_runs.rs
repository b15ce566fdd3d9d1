//! Reads the runs of a comparison one after another, so that no more than one is in memory.

use std::path::PathBuf;

use metrics::compare::{Figures, figures};
use metrics::overview;
use model::error::Error;
use model::{Choice, Run};

pub struct ComparedRuns {
    /// Figures of each run, in the order of the folders.
    pub figures: Vec<Figures>,
    /// Warnings, each with the name of its run.
    pub warnings: Vec<String>,
    /// Some of the data is missing.
    pub is_partial: bool,
}

impl ComparedRuns {
    /// Reads a part of the runs in these folders. `name` names the run at an index, for warnings; `add` adds figures
    /// that only this comparison needs.
    pub fn read(
        folders: &[PathBuf],
        choice: &Choice,
        name: impl Fn(usize) -> String,
        add: impl Fn(&Run, &mut Figures),
    ) -> Result<ComparedRuns, Error> {
        let mut runs = ComparedRuns { figures: Vec::new(), warnings: Vec::new(), is_partial: false };
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
