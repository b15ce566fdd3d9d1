//! The runs that are compared, and the function expected to dominate at ten times the ranks.

use super::points::{Grown, Grows};
use crate::compare::Figures;
use tables::{Fact, Value, facts};

facts! {
    PROGRAM = "program", Text, always, "The command that ran.";
    RANKS = "ranks", Text, always, "How many ranks.";
    DOMINATES = "dominates", Text, sometimes,
        "The function that is expected to take the most time at ten times the ranks.";
}

pub fn facts(runs: &[Figures], grown: &Grown) -> Vec<Fact> {
    let program = runs.first().map_or(String::new(), |run| run.command.clone());
    let count = |(ranks, runs): (&u32, &usize)| match runs {
        1 => ranks.to_string(),
        runs => format!("{ranks} ({runs} runs)"),
    };
    let ranks = grown.runs.iter().map(count).collect::<Vec<_>>().join(", ");
    let mut facts =
        vec![Fact::new(PROGRAM, "runs", Value::Text(program)), Fact::new(RANKS, "ranks", Value::Text(ranks))];
    facts.extend(dominates(grown));
    facts
}

/// The function expected to take the most time at ten times the ranks, and those that may exceed it within their
/// intervals.
fn dominates(grown: &Grown) -> Option<Fact> {
    let ahead = grown.ahead();
    let functions = grown.times.iter().filter(|grows| grows.is_function);
    let mut all: Vec<(&Grows, _)> = functions.filter_map(|grows| Some((grows, grows.expected(ahead)?))).collect();
    all.sort_by(|one, other| other.1.time.total_cmp(&one.1.time));
    let (first, expected) = all.first()?;
    let others: Vec<&str> =
        all[1..].iter().filter(|(_, other)| other.high > expected.low).map(|(grows, _)| grows.name.as_str()).collect();
    let span = format!("({} to {})", Value::Seconds(expected.low), Value::Seconds(expected.high));
    let time = Value::Seconds(expected.time);
    let note = match others.as_slice() {
        [] => format!(": {time} per rank {span}"),
        others => format!(": {time} per rank {span}; it could also be {}", others.join(", ")),
    };
    Some(
        Fact::new(DOMINATES, "ahead", Value::Text(format!("at {ahead} ranks {} takes longest", first.name))).note(note),
    )
}

/// Notes on what the runs lack for models.
pub fn warnings(runs: &[Figures], grown: &Grown) -> Vec<String> {
    let mut warnings = Vec::new();
    let few = grown.runs.keys().filter(|ranks| **ranks > 1).count();
    if few < 3 {
        let counts = if few == 1 { "one rank count".to_string() } else { format!("{few} rank counts") };
        warnings.push(format!("no models: the runs have {counts} above 1, and a model needs three"));
    } else if few < 5 {
        warnings.push(format!("{few} rank counts tell terms apart poorly: use five or more"));
    }
    let executable = |run: &Figures| run.command.split(' ').next().unwrap_or_default().to_string();
    let mut programs: Vec<String> = runs.iter().map(executable).collect();
    programs.sort();
    programs.dedup();
    if programs.len() > 1 {
        warnings.push(format!("the runs come from different programs: {}", programs.join(", ")));
    }
    let profiles = runs.iter().filter(|run| !run.has_calls).count();
    if profiles > 0 {
        warnings.push(format!("no efficiencies for {profiles} of the runs: a profile holds no single calls"));
    }
    warnings
}
