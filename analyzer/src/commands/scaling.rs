//! `overhear scaling`: runs of different numbers of ranks side by side.

use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::compare::{Figures, figures};
use crate::metrics::overview;
use crate::metrics::scaling::{self, ModelRow, PointRow, PopRow};
use crate::model::Run;
use crate::report::schema::Schema;
use crate::report::{Report, Sheet};

/// Prints how times grow with the ranks. Returns the exit status.
pub fn run(arguments: &cli::Scaling) -> Result<u8, Error> {
    let choice = arguments.select.choice();
    let (mut runs, mut said, mut is_partial): (Vec<Figures>, Vec<String>, bool) = (Vec::new(), Vec::new(), false);
    for folder in &arguments.runs {
        let run = Run::select(folder, &choice)?;
        let of_run = figures(&run);
        let warnings = of_run.warnings.iter().cloned().chain(overview::warnings(&run));
        said.extend(warnings.map(|said| format!("{}: {said}", folder.display())));
        is_partial |= run.is_partial();
        runs.push(of_run);
    }
    let grown = scaling::grown(&runs, arguments.weak);
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

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("scaling").facts(scaling::FACTS).table::<PopRow>().table::<PointRow>().table::<ModelRow>()
}
