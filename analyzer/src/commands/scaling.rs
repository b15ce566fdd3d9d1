//! `overhear scaling`: compares runs with different numbers of ranks.

use super::compared_runs::ComparedRuns;
use super::print::print;
use crate::cli;
use metrics::scaling::{self, ModelRow, PointRow, PopRow};
use model::error::{Error, OK, PARTIAL};
use tables::schema::Schema;
use tables::{Report, Sheet};

/// Prints the growth of times with the number of ranks. Returns the exit status.
pub fn run(arguments: &cli::ScalingArgs) -> Result<u8, Error> {
    let name = |at: usize| arguments.runs[at].display().to_string();
    let ComparedRuns { figures: runs, warnings: said, is_partial } =
        ComparedRuns::read(&arguments.runs, &arguments.select.choice(), name, |_, _| ())?;
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

pub fn schema() -> Schema {
    Schema::of("scaling").facts(scaling::FACTS).table::<PopRow>().table::<PointRow>().table::<ModelRow>()
}
