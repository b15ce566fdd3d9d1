//! `overhear scaling`: compares runs with different numbers of ranks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::print::print;
use crate::analysis_notice;
use crate::cli;
use metrics::compare::{Figures, figures};
use metrics::grouped_in_order::grouped_in_order;
use metrics::scaling::{self, ModelRow, PointRow, PopRow};
use model::error::{Error, OK, PARTIAL};
use model::{Choice, Run};
use tables::schema::Schema;
use tables::{Report, Sheet};

/// Prints the growth of times with the number of ranks. Returns the exit status.
pub fn run(arguments: &cli::ScalingArgs) -> Result<u8, Error> {
    let name = |at: usize| arguments.runs[at].display().to_string();
    analysis_notice::begin();
    let ComparedRuns { figures: runs, warnings: said, is_partial, .. } =
        ComparedRuns::read(&arguments.runs, &arguments.select.named(arguments.by.named_by()), name, figures)?;
    let grown = scaling::grown(&runs, arguments.weak, arguments.by);
    let tables = vec![
        scaling::efficiencies(&grown).into(),
        scaling::times(&grown).into(),
        Sheet::from(scaling::pop(&grown)),
        scaling::points(&grown).into(),
        scaling::models(&grown).into(),
    ];
    let warnings = [scaling::warnings(&runs, &grown), said].concat();
    print(Report { facts: scaling::facts(&runs, &grown), warnings, tables }, "scaling", &arguments.print)?;
    Ok(if is_partial { PARTIAL } else { OK })
}

pub fn schema() -> Schema {
    Schema::of("scaling").facts(scaling::FACTS).table::<PopRow>().table::<PointRow>().table::<ModelRow>()
}

#[derive(Default)]
pub struct ComparedRuns {
    /// Figures of each run, in the order of the folders.
    pub figures: Vec<Figures>,
    /// Warnings, each with the names of its runs.
    pub warnings: Vec<String>,
    /// Some of the data is missing.
    pub is_partial: bool,
    /// The functions of the communication layer that names of each run's call sites leave out.
    pub layers: Vec<BTreeSet<String>>,
}

impl ComparedRuns {
    /// Reads a part of the runs in these folders. `name` names the run at an index, for warnings; `figures` computes what the
    /// comparison needs.
    pub fn read(
        folders: &[PathBuf],
        choice: &Choice,
        name: impl Fn(usize) -> String,
        figures: impl Fn(&Run) -> Figures,
    ) -> Result<ComparedRuns, Error> {
        let mut runs = ComparedRuns::default();
        let mut warnings: Vec<(String, String)> = Vec::new();
        for (at, folder) in folders.iter().enumerate() {
            let run = Run::select(folder, choice)?;
            let figures = figures(&run);
            let said = figures.warnings.iter().cloned().chain(metrics::warnings::of_run(&run));
            warnings.extend(said.map(|said| (said, name(at))));
            runs.is_partial |= run.is_partial();
            runs.layers.push(run.sites.left_out().clone());
            runs.figures.push(figures);
        }
        let in_words = |(said, names): (String, Vec<String>)| format!("{}: {said}", names.join(", "));
        runs.warnings = grouped_in_order(warnings.into_iter()).into_iter().map(in_words).collect();
        Ok(runs)
    }
}
