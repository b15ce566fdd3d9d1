//! Facts about the two sides, and the difference of their wall times.

use super::joined::{Comparison, Side};
use super::run_figures::Figures;
use super::{chief, run_figures};
use crate::overview;
use tables::{Fact, FactKey, Value, facts};

facts! {
    A = "a", Text, always, "The program of A, its runs and times, in words.";
    A_RUNS = "a_runs", Count, always, "How many runs A has.";
    A_WALL_TIME = "a_wall_time_s", Seconds, always, "The wall time of A, mean of its runs.";
    A_MPI_TIME = "a_mpi_time_mean_s", Seconds, always, "Time in MPI of A, mean of ranks and runs.";
    B = "b", Text, always, "The program of B, its runs and times, in words.";
    B_RUNS = "b_runs", Count, always, "How many runs B has.";
    B_WALL_TIME = "b_wall_time_s", Seconds, always, "The wall time of B, mean of its runs.";
    B_MPI_TIME = "b_mpi_time_mean_s", Seconds, always, "Time in MPI of B, mean of ranks and runs.";
    DIFFERENCE = "difference_s", Seconds, always, "The wall time of B less that of A.";
}

/// The program, runs and times of each side, and the difference of their wall times.
pub fn facts(a: &Side, b: &Side, all: &[Comparison]) -> Vec<Fact> {
    let of_run = |key: FactKey| {
        all.iter().find(|figure| figure.name.table == run_figures::RUN && figure.name.figure == key.name)
    };
    let (wall, mpi) = (of_run(overview::WALL_TIME), of_run(overview::MPI_TIME_MEAN));
    let mean = |figure: Option<&Comparison>, side: fn(&Comparison) -> Option<f64>| {
        figure.map_or(Value::None, |figure| figure.value(side(figure)))
    };
    let mut facts = Vec::new();
    let keys = [[A_RUNS, A_WALL_TIME, A_MPI_TIME], [B_RUNS, B_WALL_TIME, B_MPI_TIME]];
    let means: [fn(&Comparison) -> Option<f64>; 2] = [Comparison::mean_a, Comparison::mean_b];
    for (((side, key), keys), mean_of_side) in [(a, A), (b, B)].into_iter().zip(keys).zip(means) {
        let name = if key == A { "A" } else { "B" };
        let [wall, mpi] = [mean(wall, mean_of_side), mean(mpi, mean_of_side)];
        let runs = if side.len() == 1 { String::new() } else { format!(", {} runs", side.len()) };
        let program = side.first().map_or(String::new(), |run| run.program.to_string());
        facts.push(Fact::new(key, name, Value::Text(format!("{program}{runs}, wall time {wall}, in MPI {mpi} mean"))));
        facts.push(Fact::hidden(keys[0], Value::Count(side.len() as u64)));
        facts.push(Fact::hidden(keys[1], wall));
        facts.push(Fact::hidden(keys[2], mpi));
    }
    facts.extend(wall.and_then(|wall| difference(wall, mpi, all)));
    facts
}

/// The difference of the wall times, and the function with the largest part of it.
fn difference(wall: &Comparison, mpi: Option<&Comparison>, all: &[Comparison]) -> Option<Fact> {
    let signed = |value: f64| format!("{}{}", if value < 0.0 { "-" } else { "+" }, Value::Seconds(value.abs()));
    let difference = wall.difference()?;
    let percent = wall.ratio().map_or(String::new(), |ratio| format!(" ({:+.1} %)", 100.0 * (ratio - 1.0)));
    let in_mpi = mpi.and_then(Comparison::difference).map(|mpi| format!("; in MPI {} a rank", signed(mpi)));
    let is_function =
        |figure: &&Comparison| figure.name.table == run_figures::FUNCTIONS && chief::is_chief(&figure.name);
    let change = |figure: &Comparison| figure.difference().unwrap_or(0.0);
    let most = all.iter().filter(is_function).max_by(|one, other| change(one).abs().total_cmp(&change(other).abs()));
    let most = most.map(|figure| format!(", most of it in {} ({})", figure.name.row.join(" "), signed(change(figure))));
    let text = format!("{percent}{}{}", in_mpi.unwrap_or_default(), most.unwrap_or_default());
    Some(Fact::new(DIFFERENCE, "B - A", Value::Seconds(difference)).note(text))
}

/// Notes on noise, and on differences between the runs that distort the comparison.
pub fn warnings(a: &Side, b: &Side) -> Vec<String> {
    let mut warnings = Vec::new();
    if a.len() < 2 || b.len() < 2 {
        warnings.push(
            "one run per side cannot tell a difference from noise; compare several: overhear diff --a A1 A2 A3 --b B1 B2 \
             B3"
                .into(),
        );
    } else {
        warnings.push(
            "noise: no more than runs of one side differ by among themselves (Welch's test with Holm's correction over all \
             rows, 5 %)"
                .into(),
        );
    }
    let runs = || a.iter().chain(b);
    let distinct = |property: fn(&Figures) -> String| {
        let mut all: Vec<String> = runs().map(property).collect();
        all.sort();
        all.dedup();
        all
    };
    let commands = distinct(|run| run.command.clone());
    if commands.len() > 1 {
        warnings.push(format!("the runs come from different commands: {}", commands.join("; ")));
    }
    let ranks = distinct(|run| run.ranks.to_string());
    if ranks.len() > 1 {
        warnings.push(format!("the runs have {} ranks: totals over ranks do not compare", ranks.join(" and ")));
    }
    let profiles = runs().filter(|run| !run.has_calls).count();
    if profiles > 0 {
        warnings.push(format!(
            "no waits, efficiencies or overlap for {profiles} of the runs: a profile holds no single calls"
        ));
    }
    warnings
}
