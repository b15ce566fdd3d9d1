//! The largest changes from A to B: the lines above the tables of a comparison.

use super::chief::is_chief;
use super::joined::{Comparison, Differs, Side};
use super::noise;
use super::run_figures::{FUNCTIONS, GAPS, POP, SITES};
use crate::imbalance::COMPUTATION;
use crate::words::plural;
use tables::number::whole;
use tables::{Fact, Value, facts};
use traces::calls::Call;

facts! {
    DIFFERENCE = "difference_s", Seconds, always, "The wall time of B less that of A.";
    EFFICIENCY = "efficiency", Text, sometimes, "The parallel efficiency of both sides, and its factor that changed most, in words.";
    SETTINGS = "settings", Text, sometimes,
        "Environment variables that set up MPI or threads, by the sides of which all runs have them, if not all runs of both do.";
    OTHER_CALLS = "other_calls", Text, sometimes,
        "Call sites with other numbers of calls, the same in all runs of a side, in words; those of calls that poll are left out.";
}

/// The difference of the wall times, its parts outside MPI and in MPI, and the function that changed most.
pub fn difference(wall: &Comparison, mpi: Option<&Comparison>, all: &[Comparison]) -> Option<Fact> {
    let difference = wall.difference()?;
    let mut text = wall.ratio().map_or(String::new(), |ratio| format!(" ({:+.1} %)", 100.0 * (ratio - 1.0)));
    if wall.test.is_some_and(|test| !noise::differs(&test)) {
        text += ", no more than noise";
    }
    if let Some(in_mpi) = mpi.and_then(Comparison::difference) {
        text += &format!("; a rank {} outside MPI, {} in MPI", signed(difference - in_mpi), signed(in_mpi));
    }
    if let Some(most) = most_changed(all.iter(), FUNCTIONS).filter(|most| most.change() != 0.0) {
        let unsure = match most.differs {
            Differs::No => ", noise",
            Differs::Perhaps => ", perhaps",
            Differs::Unknown | Differs::Yes => "",
        };
        text += &format!("; most changed: {} ({}{unsure})", most.name.row.join(" "), signed(most.change()));
        if most.name.row == [COMPUTATION]
            && let Some(place) = most_changed(all.iter(), GAPS)
        {
            text += &format!(", {} of it from {}", signed(place.change()), place.name.row.join(" "));
        }
    }
    Some(Fact::new(DIFFERENCE, "B - A", Value::Seconds(difference)).note(text))
}

fn signed(seconds: f64) -> String {
    format!("{}{}", if seconds < 0.0 { "-" } else { "+" }, Value::Seconds(seconds.abs()))
}

/// The figure of a table that changed most, of those that people are shown.
pub fn most_changed<'a>(all: impl Iterator<Item = &'a Comparison>, table: &str) -> Option<&'a Comparison> {
    let of_table = all.filter(|figure| figure.name.table == table && is_chief(&figure.name));
    of_table.max_by(|one, other| one.change().abs().total_cmp(&other.change().abs()))
}

/// The settings that all runs of one side have, and not all of the other.
pub fn other_settings(a: &Side, b: &Side) -> Option<Fact> {
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
pub fn efficiency(all: &[Comparison]) -> Option<Fact> {
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
    figure.name.table == POP && figure.name.figure == "percent" && figure.name.row == [name]
}

/// Maximum number of call sites that are named for their numbers of calls.
const SITES_SHOWN: usize = 3;

/// Call sites that were called another number of times, those with the largest difference first.
pub fn other_calls(all: &[Comparison]) -> Option<Fact> {
    let is_same = |counts: &[f64]| counts.windows(2).all(|two| two[0] == two[1]);
    let changed = |figure: &&Comparison| {
        let polls = figure.name.row.iter().any(|part| Call::named(part).is_some_and(Call::polls));
        figure.name.table == SITES
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
