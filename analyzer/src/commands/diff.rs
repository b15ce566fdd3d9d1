//! `overhear diff`: two runs side by side; here what their progress engines did.

use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{engine, overview};
use crate::model::Run;
use crate::report::schema::Schema;
use crate::report::{Fact, FactKey, Report, Value, facts};

/// Prints both ledgers with their ratios. Returns the exit status.
pub fn run(arguments: &cli::Diff) -> Result<u8, Error> {
    let choice = arguments.select.choice();
    let (a, b) = (Run::select(&arguments.a, &choice)?, Run::select(&arguments.b, &choice)?);
    let mut warnings = Vec::new();
    for (name, run) in [("A", &a), ("B", &b)] {
        warnings.extend(engine::unseen(run).into_iter().map(|said| format!("{name}: {said}")));
        warnings.extend(overview::warnings(run).into_iter().map(|said| format!("{name}: {said}")));
    }
    let report = Report { facts: facts(&a, &b), warnings, tables: vec![engine::compare(&a, &b).into()] };
    print(report, "diff", &arguments.print)?;
    Ok(if a.is_partial() || b.is_partial() { PARTIAL } else { OK })
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    Schema::of("diff").facts(FACTS).table::<engine::CompareRow>()
}

facts! {
    A = "a", Text, always;
    A_WALL_TIME = "a_wall_time_s", Seconds, always;
    A_MPI_TIME = "a_mpi_time_mean_s", Seconds, always;
    B = "b", Text, always;
    B_WALL_TIME = "b_wall_time_s", Seconds, always;
    B_MPI_TIME = "b_mpi_time_mean_s", Seconds, always;
}

/// What the runs were, in one line each.
fn facts(a: &Run, b: &Run) -> Vec<Fact> {
    let (a, b) = (overview::facts(a), overview::facts(b));
    let mut facts = Vec::new();
    for (facts_of, [key, wall_time, mpi_time], name) in
        [(a, [A, A_WALL_TIME, A_MPI_TIME], "A"), (b, [B, B_WALL_TIME, B_MPI_TIME], "B")]
    {
        let of = |key: FactKey| facts_of.iter().find(|fact| fact.key == key);
        let value = |key| of(key).map_or(Value::None, |fact| fact.value.clone());
        let times = [overview::WALL_TIME, overview::MPI_TIME_MEAN]
            .map(|key| of(key).map_or(String::new(), |fact| format!(", {} {}", fact.heading, fact.value)));
        let line = of(overview::PROGRAM).map_or(String::new(), Fact::to_string);
        facts.push(Fact::new(key, name, Value::Text(format!("{line}{}", times.concat()))));
        facts.push(Fact::hidden(wall_time, value(overview::WALL_TIME)));
        facts.push(Fact::hidden(mpi_time, value(overview::MPI_TIME_MEAN)));
    }
    facts
}
