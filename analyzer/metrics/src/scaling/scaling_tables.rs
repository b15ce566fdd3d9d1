//! The tables of efficiencies, times and models by number of ranks.

use super::fit::{Expected, Model};
use super::points::{GLOBAL, Grown, Grows, PARALLEL, SCALABILITY};
use crate::compare::Figures;
use crate::meaning;
use crate::scheduling::LEAST_SHARE_OF_DELAYS;
use tables::{Column, Fact, Label, Row, Table, Value, facts};

/// Maximum number of functions shown to people.
const FUNCTIONS: usize = 15;

/// The tree of efficiencies, as POP prints it.
const TREE: [Label; 7] = [
    label(GLOBAL, 0),
    label(PARALLEL, 1),
    label("load balance", 2),
    label("communication efficiency", 2),
    label("serialization efficiency", 3),
    label("transfer efficiency", 3),
    label(SCALABILITY, 1),
];

const fn label(name: &'static str, depth: usize) -> Label {
    Label { key: name, name, depth }
}

pub struct PopRow {
    label: Label,
    ranks: u32,
    percent: Option<f64>,
}

impl Row for PopRow {
    const TABLE: &'static str = "pop";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("metric", "", |row: &Self| row.label).means(meaning::METRIC),
            Column::count("ranks", "", |row: &Self| u64::from(row.ranks)).means("At so many ranks."),
            Column::percent("percent", "", |row: &Self| row.percent).means(meaning::PERCENT),
        ]
    }
}

/// Efficiencies, for programs only.
pub fn pop(grown: &Grown) -> Table<PopRow> {
    let rows = |label: Label| {
        let row = move |ranks: &u32| PopRow { label, ranks: *ranks, percent: percent(grown, *ranks, label) };
        grown.runs.keys().map(row)
    };
    Table::new("", TREE.into_iter().flat_map(rows).collect()).for_programs()
}

fn percent(grown: &Grown, ranks: u32, label: Label) -> Option<f64> {
    grown.pop.get(&ranks)?.get(label.name).copied()
}

/// A row with a value for each number of ranks.
pub struct GrownRow<Name> {
    name: Name,
    values: Vec<Option<f64>>,
    model: Option<Model>,
    expected: Option<Expected>,
}

/// Efficiencies, for people only.
pub fn efficiencies(grown: &Grown) -> Table<GrownRow<Label>> {
    let line = |name: Label| {
        let values = grown.runs.keys().map(|ranks| percent(grown, *ranks, name)).collect();
        GrownRow { name, values, model: None, expected: None }
    };
    let lines: Vec<_> = TREE.into_iter().map(line).filter(|line| line.values.iter().any(Option::is_some)).collect();
    let mut columns = vec![
        Column::label("metric", "efficiency, % at ranks", |line: &GrownRow<Label>| line.name).means(meaning::METRIC),
    ];
    columns.extend(grown.runs.keys().enumerate().map(|(at, ranks)| {
        let column =
            Column::percent(format!("at_{ranks}_percent"), ranks.to_string(), move |line: &GrownRow<Label>| {
                line.values[at]
            });
        column.spare(spare(grown, at))
    }));
    Table::with_columns("pop", "", columns, lines).whole().for_people().silent_empty()
}

/// Times and models, for people only.
pub fn times(grown: &Grown) -> Table<GrownRow<String>> {
    let ahead = grown.ahead();
    let line = |grows: &Grows| GrownRow {
        name: grows.name.clone(),
        values: grown.runs.keys().map(|ranks| grows.points.get(ranks).copied()).collect(),
        model: grows.models.first().copied(),
        expected: grows.expected(ahead),
    };
    let mut columns = vec![
        Column::text("function", "mean of ranks, {unit}, at", |line: &GrownRow<String>| line.name.clone())
            .means(meaning::FUNCTION),
    ];
    columns.extend(grown.runs.keys().enumerate().map(|(at, ranks)| {
        let column =
            Column::seconds(format!("at_{ranks}_s"), ranks.to_string(), move |line: &GrownRow<String>| line.values[at]);
        column.spare(spare(grown, at))
    }));
    let heading = format!("at {ahead}");
    columns.extend(
        [
            Column::text("model", "grows as", |line: &GrownRow<String>| {
                line.model.map(|model| model.term.name().to_string())
            }),
            Column::percent("error_percent", "off by %", |line: &GrownRow<String>| line.model.map(|model| model.error)),
            Column::seconds("expected_s", heading, |line: &GrownRow<String>| Some(line.expected?.time))
                .means("The time expected there."),
            Column::seconds("expected_low_s", "least", |line: &GrownRow<String>| Some(line.expected?.low))
                .means("The least that any model says which is not ruled out.")
                .spare(1),
            Column::seconds("expected_high_s", "most", |line: &GrownRow<String>| Some(line.expected?.high))
                .means("The most that any model says which is not ruled out.")
                .spare(1),
        ]
        .map(Column::silent_empty),
    );
    Table::with_columns("times", "", columns, grown.times.iter().map(line).collect()).most(FUNCTIONS).for_people()
}

/// If text has no room for all numbers of ranks, the first and the last stay longest.
fn spare(grown: &Grown, at: usize) -> u8 {
    let last = grown.runs.len() - 1;
    if at == 0 || at == last { 0 } else { (2 + at).min(200) as u8 }
}

pub struct PointRow {
    name: String,
    ranks: u32,
    time: f64,
}

impl Row for PointRow {
    const TABLE: &'static str = "times";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "", |row: &Self| row.name.clone()).means(meaning::FUNCTION),
            Column::count("ranks", "", |row: &Self| u64::from(row.ranks)).means("At so many ranks."),
            Column::seconds("time_mean_s", "", |row: &Self| row.time).means(meaning::TIME_MEAN_S),
        ]
    }
}

/// Times, for programs only.
pub fn points(grown: &Grown) -> Table<PointRow> {
    let rows = |grows: &Grows| {
        let name = grows.name.clone();
        grows.points.clone().into_iter().map(move |(ranks, time)| PointRow { name: name.clone(), ranks, time })
    };
    Table::new("", grown.times.iter().flat_map(rows).collect()).for_programs()
}

/// The best model of a function's time.
pub struct ModelRow {
    name: String,
    model: Model,
    ahead: f64,
    expected: Option<Expected>,
}

impl Row for ModelRow {
    const TABLE: &'static str = "models";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "", |row: &Self| row.name.clone()).means(meaning::FUNCTION),
            Column::text("term", "", |row: &Self| row.model.term.name().to_string())
                .means("The term that grows with the ranks, p: nothing, 1/p, log p, p, p log p or p^2."),
            Column::seconds("constant_s", "", |row: &Self| row.model.constant)
                .means("Seconds whatever the number of ranks."),
            Column::seconds("factor_s", "", |row: &Self| row.model.factor)
                .means("Seconds for each unit of what grows."),
            Column::percent("error_percent", "", |row: &Self| row.model.error)
                .means("By how much the model misses a number of ranks that it has not seen."),
            Column::count("expected_ranks", "", |row: &Self| row.ahead.round() as u64)
                .means("Ten times the most ranks measured."),
            Column::seconds("expected_s", "", |row: &Self| Some(row.expected?.time)).means("The time expected there."),
            Column::seconds("expected_low_s", "", |row: &Self| Some(row.expected?.low))
                .means("The least that any model says which is not ruled out."),
            Column::seconds("expected_high_s", "", |row: &Self| Some(row.expected?.high))
                .means("The most that any model says which is not ruled out."),
        ]
    }
}

/// The best model of each time, for programs only.
pub fn models(grown: &Grown) -> Table<ModelRow> {
    let ahead = grown.ahead();
    let row = |grows: &Grows| {
        let model = *grows.models.first()?;
        Some(ModelRow { name: grows.name.clone(), model, ahead, expected: grows.expected(ahead) })
    };
    Table::new("", grown.times.iter().filter_map(row).collect()).for_programs().asked()
}

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
/// intervals. `None` if one without a model takes longer already.
fn dominates(grown: &Grown) -> Option<Fact> {
    let ahead = grown.ahead();
    let functions = grown.weighty().map(|(grows, _)| grows);
    let mut all: Vec<(&Grows, _)> = functions.filter_map(|grows| Some((grows, grows.expected(ahead)?))).collect();
    all.sort_by(|one, other| other.1.time.total_cmp(&one.1.time));
    let (first, expected) = all.first()?;
    if without_model(grown).any(|(grows, _)| grows.last() > expected.time) {
        return None;
    }
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

/// The functions that matter and that no model describes, each with its share of the wall time at the most ranks.
fn without_model(grown: &Grown) -> impl Iterator<Item = (&Grows, f64)> {
    grown.weighty().filter(|(grows, _)| grows.models.is_empty())
}

/// Executables of the runs, each once, in order of their names.
pub fn programs(runs: &[Figures]) -> Vec<&str> {
    let mut programs: Vec<&str> = runs.iter().map(|run| run.command.split(' ').next().unwrap_or_default()).collect();
    programs.sort_unstable();
    programs.dedup();
    programs
}

/// Maximum number of functions without a model that are named.
const UNKNOWN: usize = 3;
/// A function with a smaller share of the wall time, in percent, is not named.
const LEAST_UNKNOWN: f64 = 1.0;

/// Says at which rank counts ranks lacked cores.
fn without_cores(runs: &[Figures]) -> Option<String> {
    let mut lacked: Vec<(u32, f64)> = runs.iter().filter_map(|run| Some((run.ranks, run.delayed?))).collect();
    lacked.retain(|(_, share)| *share >= LEAST_SHARE_OF_DELAYS);
    lacked.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    lacked.dedup_by_key(|(ranks, _)| *ranks);
    let said: Vec<String> =
        lacked.iter().map(|(ranks, share)| format!("{ranks} ranks {:.0} %", 100.0 * share)).collect();
    let said = said.join(", ");
    (!said.is_empty())
        .then(|| format!("ranks lacked cores ({said} of their time): times grow with that, too, on this machine"))
}

/// Notes on the runs that models would need in addition.
pub fn warnings(runs: &[Figures], grown: &Grown) -> Vec<String> {
    let mut warnings = Vec::new();
    let few = grown.runs.keys().filter(|ranks| **ranks > 1).count();
    if few < 3 {
        let counts = if few == 1 { "one rank count".to_string() } else { format!("{few} rank counts") };
        warnings.push(format!("no models: the runs have {counts} above 1, and a model needs three"));
    } else if few < 5 {
        let one = if grown.runs.contains_key(&1) { ", as a run of 1 rank sends nothing" } else { "" };
        warnings.push(format!("{few} rank counts above 1 tell terms apart poorly: use five or more{one}"));
    }
    let unknown = without_model(grown).filter(|(_, share)| *share >= LEAST_UNKNOWN).take(UNKNOWN);
    let unknown: Vec<String> = unknown.map(|(grows, share)| format!("{} ({share:.1} %)", grows.name)).collect();
    if few >= 3 && !unknown.is_empty() {
        let (most, unknown) = (grown.most(), unknown.join(", "));
        warnings
            .push(format!("no model fits {unknown} of the time at {most} ranks: repeat the runs, and add rank counts"));
    }
    warnings.extend(without_cores(runs));
    if let Some(work) = grown.grown_work().filter(|_| !grown.is_weak) {
        warnings.push(format!(
            "the ranks together compute {work:.1} times as long at {} ranks as at {}: if each rank has its own work, use --weak",
            grown.most(),
            grown.useful.keys().next().copied().unwrap_or_default()
        ));
    }
    let programs = programs(runs);
    if programs.len() > 1 {
        warnings.push(format!("the runs come from different programs: {}", programs.join(", ")));
    }
    let profiles = runs.iter().filter(|run| !run.has_calls).count();
    if profiles > 0 {
        warnings.push(format!("no efficiencies for {profiles} of the runs: a profile holds no single calls"));
    }
    warnings
}
