//! `overhear diff`: two runs side by side; here what their progress engines did.

use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{engine, overview};
use crate::model::Run;
use crate::report::{Fact, Report, Value, text};

/// Prints both ledgers with their ratios. Returns the exit status.
pub fn run(arguments: &cli::Diff) -> Result<u8, Error> {
    let choice = arguments.select.choice();
    let (a, b) = (Run::select(&arguments.a, &choice)?, Run::select(&arguments.b, &choice)?);
    let mut warnings = Vec::new();
    for (name, run) in [("A", &a), ("B", &b)] {
        warnings.extend(engine::unseen(run).into_iter().map(|said| format!("{name}: {said}")));
        warnings.extend(overview::warnings(run).into_iter().map(|said| format!("{name}: {said}")));
    }
    let report = Report { facts: facts(&a, &b), warnings, tables: vec![engine::compare(&a, &b)] };
    print(report, "diff", &arguments.print)?;
    Ok(if a.is_partial() || b.is_partial() { PARTIAL } else { OK })
}

/// What the runs were, in one line each.
fn facts(a: &Run, b: &Run) -> Vec<Fact> {
    let described = |run: &Run| {
        let facts = overview::facts(run);
        let of = |key: &str| facts.iter().find(|fact| fact.key == key);
        let line = of("program").map(text::fact_in_words);
        let times = ["wall_time_s", "mpi_time_mean_s"]
            .map(|key| of(key).map_or(String::new(), |fact| format!(", {} {}", fact.heading, text::one(&fact.value))));
        Value::Text(format!("{}{}", line.unwrap_or_default(), times.concat()))
    };
    vec![Fact::new("a", "A", described(a)), Fact::new("b", "B", described(b))]
}
