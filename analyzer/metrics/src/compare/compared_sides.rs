//! Facts about the two sides, and the difference of their wall times.

use super::joined::{Comparison, Differs, Side};
use super::run_figures::Figures;
use super::{chief, noise, run_figures};
use crate::imbalance::COMPUTATION;
use crate::overview;
use crate::scheduling::LEAST_SHARE_OF_DELAYS;
use crate::words::plural;
use tables::number::whole;
use tables::{Fact, FactKey, Value, facts};
use traces::calls::Call;

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
    EFFICIENCY = "efficiency", Text, sometimes, "The parallel efficiency of both sides, and its factor that changed most, in words.";
    SETTINGS = "settings", Text, sometimes,
        "Environment variables that set up MPI or threads, by the sides of which all runs have them, if not all runs of both do.";
    OTHER_CALLS = "other_calls", Text, sometimes,
        "Call sites with other numbers of calls, the same in all runs of a side, in words; those of calls that poll are left out.";
}

/// The program, runs and times of each side, and the difference of their wall times.
pub fn facts(a: &Side, b: &Side, all: &[Comparison]) -> Vec<Fact> {
    let of_run = |key: FactKey| {
        all.iter().find(|figure| figure.name.table == run_figures::RUN && figure.name.figure == key.name)
    };
    let (wall, mpi) = (of_run(overview::WALL_TIME), of_run(overview::MPI_TIME_MEAN));
    let means = |side: fn(&Comparison) -> Option<f64>| {
        [wall, mpi].map(|figure| figure.map_or(Value::None, |figure| figure.value(side(figure))))
    };
    let mut facts = of_side(a, "A", [A, A_RUNS, A_WALL_TIME, A_MPI_TIME], means(Comparison::mean_a));
    facts.extend(of_side(b, "B", [B, B_RUNS, B_WALL_TIME, B_MPI_TIME], means(Comparison::mean_b)));
    facts.extend(wall.and_then(|wall| difference(wall, mpi, all)));
    facts.extend(other_settings(a, b));
    facts.extend(efficiency(all));
    facts.extend(other_calls(all));
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

/// The difference of the wall times, its parts outside MPI and in MPI, and the function that changed most.
fn difference(wall: &Comparison, mpi: Option<&Comparison>, all: &[Comparison]) -> Option<Fact> {
    let signed = |value: f64| format!("{}{}", if value < 0.0 { "-" } else { "+" }, Value::Seconds(value.abs()));
    let difference = wall.difference()?;
    let mut text = wall.ratio().map_or(String::new(), |ratio| format!(" ({:+.1} %)", 100.0 * (ratio - 1.0)));
    if wall.test.is_some_and(|test| !noise::differs(&test)) {
        text += ", no more than noise";
    }
    if let Some(in_mpi) = mpi.and_then(Comparison::difference) {
        text += &format!("; a rank {} outside MPI, {} in MPI", signed(difference - in_mpi), signed(in_mpi));
    }
    let is_function =
        |figure: &&Comparison| figure.name.table == run_figures::FUNCTIONS && chief::is_chief(&figure.name);
    let most = all.iter().filter(is_function).max_by(|one, other| one.change().abs().total_cmp(&other.change().abs()));
    if let Some(most) = most.filter(|most| most.change() != 0.0) {
        let unsure = match most.differs {
            Differs::No => ", noise",
            Differs::Perhaps => ", perhaps",
            Differs::Unknown | Differs::Yes => "",
        };
        text += &format!("; most changed: {} ({}{unsure})", most.name.row.join(" "), signed(most.change()));
        if most.name.row == [COMPUTATION] {
            text += &most_changed_computation(all).map_or(String::new(), |place| format!(", {place}"));
        }
    }
    Some(Fact::new(DIFFERENCE, "B - A", Value::Seconds(difference)).note(text))
}

/// The calls between which computation changed most, in words.
fn most_changed_computation(all: &[Comparison]) -> Option<String> {
    let gaps = all.iter().filter(|figure| figure.name.table == run_figures::GAPS && chief::is_chief(&figure.name));
    let most = gaps.max_by(|one, other| one.change().abs().total_cmp(&other.change().abs()))?;
    let sign = if most.change() < 0.0 { "-" } else { "+" };
    Some(format!("{sign}{} of it from {}", Value::Seconds(most.change().abs()), most.name.row.join(" ")))
}

/// The settings that all runs of one side have, and not all of the other.
fn other_settings(a: &Side, b: &Side) -> Option<Fact> {
    let have = |side: &Side, setting: &String| side.iter().all(|run| run.settings.contains(setting));
    let only = |name: &str, own: &Side, other: &Side| {
        let settings = own.first()?.settings.iter();
        let own: Vec<&str> = settings.filter(|one| have(own, one) && !have(other, one)).map(String::as_str).collect();
        (!own.is_empty()).then(|| format!("{name}: {}", own.join(", ")))
    };
    let text: Vec<String> = [only("A", a, b), only("B", b, a)].into_iter().flatten().collect();
    (!text.is_empty()).then(|| Fact::new(SETTINGS, "settings", Value::Text(text.join("; "))))
}

/// The parallel efficiency, and the factor of it that changed most.
fn efficiency(all: &[Comparison]) -> Option<Fact> {
    let of = |key: &str| all.iter().find(|figure| is_factor(figure, key));
    let whole = of(PARALLEL)?;
    let change =
        |factor: &&Comparison| factor.ratio().filter(|ratio| *ratio > 0.0).map_or(0.0, |ratio| ratio.ln().abs());
    let most = FACTORS.into_iter().filter_map(of).max_by(|one, other| change(one).total_cmp(&change(other)))?;
    let instead = |figure: &Comparison| {
        format!("{} % instead of {}", figure.value(figure.mean_b()), figure.value(figure.mean_a()))
    };
    let more = match whole.differs {
        Differs::No => ", noise".to_string(),
        _ => format!("; {}: {}", most.name.row.join(" "), instead(most)),
    };
    Some(Fact::new(EFFICIENCY, "efficiency", Value::Text(instead(whole) + &more)))
}

/// The parallel efficiency's name, and its factors', whose product it is.
const PARALLEL: &str = "parallel efficiency";
const FACTORS: [&str; 3] = ["load balance", "serialization efficiency", "transfer efficiency"];

fn is_factor(figure: &Comparison, name: &str) -> bool {
    figure.name.table == run_figures::POP && figure.name.figure == "percent" && figure.name.row == [name]
}

/// Maximum number of call sites that are named for their numbers of calls.
const SITES_SHOWN: usize = 3;

/// Call sites that were called another number of times, those with the largest difference first.
fn other_calls(all: &[Comparison]) -> Option<Fact> {
    let is_same = |counts: &[f64]| counts.windows(2).all(|two| two[0] == two[1]);
    let changed = |figure: &&Comparison| {
        let polls = figure.name.row.iter().any(|part| Call::named(part).is_some_and(Call::polls));
        figure.name.table == run_figures::SITES
            && figure.name.figure == "calls"
            && !polls
            && figure.change() != 0.0
            && is_same(&figure.a)
            && is_same(&figure.b)
    };
    let mut changed: Vec<&Comparison> = all.iter().filter(changed).collect();
    changed.sort_by(|one, other| other.change().abs().total_cmp(&one.change().abs()));
    let in_words = |figure: &&Comparison| {
        let [a, b] = [figure.mean_a(), figure.mean_b()].map(|count| whole(count.unwrap_or(0.0) as u64));
        format!("{}: {b} instead of {a}", figure.name.row.join(" "))
    };
    let shown: Vec<String> = changed.iter().take(SITES_SHOWN).map(in_words).collect();
    let more = match changed.len().saturating_sub(SITES_SHOWN) {
        0 => String::new(),
        more => format!("; {}", plural(more as u64, "more site")),
    };
    (!shown.is_empty()).then(|| Fact::new(OTHER_CALLS, "calls", Value::Text(shown.join("; ") + &more)))
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
    let profiles = runs().filter(|run| !run.has_calls).count();
    if profiles > 0 {
        warnings.push(format!(
            "no waits, efficiencies or overlap for {profiles} of the runs: a profile holds no single calls"
        ));
    }
    warnings
}
