//! Facts about the two sides, and the difference of their wall times.

use super::joined::{Compared, Comparison, Side};
use super::run_figures::Figures;
use super::{changes, edits, library_settings, other_findings, rank_computation, run_figures};
use crate::overview;
use crate::scheduling::LEAST_SHARE_OF_DELAYS;
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
}

/// The program, runs and times of each side, the calls that one of them lacks, and the difference of their wall times.
pub fn facts(compared: &Compared) -> Vec<Fact> {
    let Compared { a, b, pairs, all } = compared;
    let of_run = |key: FactKey| {
        all.iter().find(|figure| figure.name.table == run_figures::RUN && figure.name.figure == key.name)
    };
    let (wall, mpi) = (of_run(overview::WALL_TIME), of_run(overview::MPI_TIME_MEAN));
    let means = |side: fn(&Comparison) -> Option<f64>| {
        [wall, mpi].map(|figure| figure.map_or(Value::None, |figure| figure.value(side(figure))))
    };
    let mut facts = of_side(a, "A", [A, A_RUNS, A_WALL_TIME, A_MPI_TIME], means(Comparison::mean_a));
    facts.extend(of_side(b, "B", [B, B_RUNS, B_WALL_TIME, B_MPI_TIME], means(Comparison::mean_b)));
    facts.extend(edits::other_calls(pairs));
    facts.extend(wall.and_then(|wall| changes::difference(wall, mpi, all)));
    facts.extend(wall.and_then(|wall| rank_computation::of_ranks(a, b, wall)));
    facts.extend(changes::other_settings(a, b));
    facts.extend(library_settings::fact(a, b));
    facts.extend(changes::efficiency(all));
    if a.iter().chain(b).all(|run| run.ranks == a[0].ranks) {
        facts.extend(changes::other_calls(all));
    }
    facts.extend(other_findings::only_one_has(a, b));
    facts.extend(edits::moved(pairs));
    facts
}

/// The facts of a side, with the means of its wall time and its time in MPI.
fn of_side(side: &Side, name: &'static str, keys: [FactKey; 4], [wall, mpi]: [Value; 2]) -> Vec<Fact> {
    let [words, runs, wall_time, mpi_time] = keys;
    let program = side.first().map_or(String::new(), |run| run.program.to_string());
    let several = if side.len() == 1 { String::new() } else { format!(", {} runs", side.len()) };
    let times = || side.iter().filter_map(|run| run.fact(overview::WALL_TIME.name));
    let (least, most) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    let range = match side.len() {
        1 => String::new(),
        _ => format!(" ({} to {})", Value::Seconds(least), Value::Seconds(most)),
    };
    let delayed = mean_delay(side).filter(|share| *share >= LEAST_SHARE_OF_DELAYS);
    let delayed =
        delayed.map_or(String::new(), |share| format!(", ranks without a core {:.0} % of the time", 100.0 * share));
    let text = format!("{program}{several}, wall time {wall}{range}, in MPI {mpi} mean{delayed}");
    vec![
        Fact::new(words, name, Value::Text(text)),
        Fact::hidden(runs, Value::Count(side.len() as u64)),
        Fact::hidden(wall_time, wall),
        Fact::hidden(mpi_time, mpi),
    ]
}

/// Least difference of the sides' delays, as a share of their time, that is worth a note.
const OTHER_DELAYS: f64 = 0.1;

/// The note on a machine that kept the ranks of one side from running more than those of the other.
fn other_delays(a: &Side, b: &Side) -> Option<String> {
    let (of_a, of_b) = (mean_delay(a)?, mean_delay(b)?);
    ((of_a - of_b).abs() >= OTHER_DELAYS).then(|| {
        format!(
            "ranks of A were ready to run but not running {:.0} % of the time, those of B {:.0} %: others had more of the \
             machine, or one side polls where the other sleeps; see `report --by host` of each run",
            100.0 * of_a,
            100.0 * of_b
        )
    })
}

/// The share of the ranks' time in which they had no core, mean of the runs that tell.
fn mean_delay(side: &Side) -> Option<f64> {
    let known: Vec<f64> = side.iter().filter_map(|run| run.delayed).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
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
            "noise: differences no larger than those between runs of one side (Welch's test, 5 %); perhaps: larger, but by chance some of \
             so many rows are (Holm's correction)"
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
    warnings.extend(other_delays(a, b));
    warnings.push(library_settings::unseen(a, b));
    let profiles = runs().filter(|run| !run.has_calls).count();
    if profiles > 0 {
        warnings.push(format!(
            "no waits, efficiencies or overlap for {profiles} of the runs: a profile holds no single calls"
        ));
    }
    warnings
}
