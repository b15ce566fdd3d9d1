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
    EFFICIENCY = "efficiency", Text, sometimes, "The parallel efficiency of both sides, and the factor that changed most in its direction, in words.";
    SETTINGS = "settings", Text, sometimes,
        "Environment variables that set up MPI or threads, by the sides of which all runs have them, if not all runs of both do.";
    OTHER_CALLS = "other_calls", Text, sometimes,
        "Call sites of both sides with other numbers of calls, the same in all runs of a side, in words; those of calls that poll are left out.";
}

/// The difference of the wall times, its parts outside MPI and in MPI, and the functions that changed most.
pub fn difference(wall: &Comparison, mpi: Option<&Comparison>, all: &[Comparison]) -> Option<Fact> {
    let difference = wall.difference()?;
    let mut text = wall.ratio().map_or(String::new(), |ratio| format!(" ({:+.1} %)", 100.0 * (ratio - 1.0)));
    if wall.test.is_some_and(|test| !noise::differs(&test)) {
        text += ", no more than noise";
    }
    if let Some(in_mpi) = mpi.and_then(Comparison::difference) {
        text += &format!("; a rank {} outside MPI, {} in MPI", signed(difference - in_mpi), signed(in_mpi));
    }
    let most: Vec<String> = both_ways(all, FUNCTIONS, difference).into_iter().map(|most| function(most, all)).collect();
    if !most.is_empty() {
        text += &format!("; most changed: {}", most.join(", "));
    }
    Some(Fact::new(DIFFERENCE, "B - A", Value::Seconds(difference)).note(text))
}

/// A function's change, with the places of it if it is computation.
fn function(figure: &Comparison, all: &[Comparison]) -> String {
    let change = figure.change();
    let mut text = signed(change);
    text += match figure.differs {
        Differs::No => ", noise",
        Differs::Perhaps => ", perhaps",
        Differs::Unknown | Differs::Yes => "",
    };
    if figure.name.row == [COMPUTATION] {
        let places = both_ways(all, GAPS, change);
        let in_words = |place: &&Comparison| format!("{} from {}", signed(place.change()), place.name.row.join(" "));
        let places: Vec<String> = places.iter().map(in_words).collect();
        if !places.is_empty() {
            text += &format!(": {}", places.join(", "));
        }
    }
    format!("{} ({text})", figure.name.row.join(" "))
}

/// A change against the direction of the whole is told if it is at least this share of the largest one along it.
const LEAST_AGAINST: f64 = 0.1;

/// The figures of a table that changed most in the direction of the whole and, if one did much, against it.
fn both_ways<'a>(all: &'a [Comparison], table: &str, whole: f64) -> Vec<&'a Comparison> {
    // Of sides that took equally long, the larger times come first.
    let whole = if whole == 0.0 { 1.0 } else { whole };
    let along = most_changed(all.iter().filter(|figure| figure.change() * whole > 0.0), table);
    let least = along.map_or(0.0, |along| LEAST_AGAINST * along.change().abs());
    let against = most_changed(all.iter().filter(|figure| figure.change() * whole < 0.0), table);
    let against = against.filter(|one| one.change().abs() >= least && one.differs != Differs::No);
    along.into_iter().chain(against).collect()
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

/// The parallel efficiency, and the factor that changed most in its direction.
pub fn efficiency(all: &[Comparison]) -> Option<Fact> {
    let of = |key: &str| all.iter().find(|figure| is_factor(figure, key));
    let whole = of(PARALLEL)?;
    let direction = whole.change().signum();
    let change =
        |factor: &&Comparison| factor.ratio().filter(|ratio| *ratio > 0.0).map_or(0.0, |ratio| direction * ratio.ln());
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
    let is_of_both = |figure: &Comparison| {
        [figure.mean_a(), figure.mean_b()].iter().all(|mean| mean.is_some_and(|calls| calls > 0.0))
    };
    let changed = |figure: &&Comparison| {
        let polls = figure.name.row.iter().any(|part| Call::named(part).is_some_and(Call::polls));
        figure.name.table == SITES
            && figure.name.figure == "calls"
            && !polls
            && is_of_both(figure)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::run_figures::FigureName;
    use tables::Unit;

    #[test]
    fn the_factor_that_is_named_changed_the_way_the_efficiency_did() {
        let figure = |name: &str, a: f64, b: f64| {
            let (row, figure) = (vec![name.to_string()], "percent".to_string());
            let name = FigureName { table: POP, row, figure, heading: String::new(), unit: Unit::Percent, label: None };
            Comparison { name, a: vec![a], b: vec![b], test: None, differs: Differs::Unknown, row_of_a: None }
        };
        let told = |[a, b]: [[f64; 4]; 2]| {
            let names = [PARALLEL, FACTORS[0], FACTORS[1], FACTORS[2]];
            let all: Vec<Comparison> = (0..4).map(|at| figure(names[at], a[at], b[at])).collect();
            efficiency(&all).unwrap().value.to_string()
        };
        let (a, b) = ([22.2, 59.5, 76.8, 48.5], [21.8, 54.5, 64.1, 62.5]);
        assert_eq!(told([a, b]), "21.8 % instead of 22.2; serialization efficiency: 64.1 % instead of 76.8");
        assert_eq!(told([b, a]), "22.2 % instead of 21.8; serialization efficiency: 76.8 % instead of 64.1");
    }
}
