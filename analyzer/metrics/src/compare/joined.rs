//! The figures of the runs of both sides, joined by their names, in which a call site has one name on both.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::chief;
use super::names_of_both::ComparedNames;
use super::noise::{self, Test};
use super::pairing::pair_sites;
use super::program_sites::ProgramSite;
use super::run_figures::{ComparedFigure, FigureName, Figures, RUN};
use super::site_pairs::SitePairs;
use crate::meaning;
use tables::{Column, Row, Table, Unit, Value};

pub type Side = Vec<Figures>;

/// Two sides that are compared.
pub struct Compared {
    pub a: Side,
    pub b: Side,
    pub pairs: SitePairs,
    pub all: Vec<Comparison>,
}

pub struct Comparison {
    pub name: FigureName,
    /// The values of A's runs.
    pub a: Vec<f64>,
    /// The values of B's runs.
    pub b: Vec<f64>,
    /// The test of A against B; `None` if a side has less than two runs.
    pub test: Option<Test>,
    pub differs: Differs,
    /// The row's name in A, if it is another.
    pub row_of_a: Option<Vec<String>>,
}

/// The certainty that B differs from A by more than runs of one side do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differs {
    /// There is no test: a side has one run, or people are not shown the figure.
    Unknown,
    No,
    /// Alone the figure would differ, but among all shown figures one may do so by chance.
    Perhaps,
    Yes,
}

/// Pairs the call sites of both sides, joins the figures by name, tests each, and judges the shown ones together.
pub fn compare(mut a: Side, mut b: Side) -> Compared {
    let pairs = pair_sites(sites(&a), sites(&b));
    for (side, names) in [&mut a, &mut b].into_iter().zip(ComparedNames::of(&pairs)) {
        for run in side {
            run.rename(&names);
        }
    }
    let mut all = joined(&a, &b);
    all.push(other_sites(&pairs));
    judge(&mut all);
    Compared { a, b, pairs, all }
}

/// The call sites that differ, as a figure that conditions can name.
fn other_sites(pairs: &SitePairs) -> Comparison {
    let (row, figure, heading) = (Vec::new(), OTHER_SITES.to_string(), String::new());
    let name = FigureName { table: RUN, row, figure, heading, unit: Unit::Count, label: None };
    let (a, b) = (vec![0.0], vec![pairs.others() as f64]);
    Comparison { name, a, b, test: None, differs: Differs::Unknown, row_of_a: None }
}

/// Call sites that only one side has, or that make another call in B.
const OTHER_SITES: &str = "other_sites";

/// The call sites of all runs of a side. One that several runs have is as in the first of them.
fn sites(side: &Side) -> Vec<ProgramSite> {
    let mut all: BTreeMap<(&str, &str), &ProgramSite> = BTreeMap::new();
    for site in side.iter().flat_map(|run| &run.sites) {
        all.entry((&site.name, &site.call.function)).or_insert(site);
    }
    all.into_values().cloned().collect()
}

fn joined(a: &Side, b: &Side) -> Vec<Comparison> {
    let mut order: Vec<FigureName> = Vec::new();
    let mut values: FxHashMap<FigureName, [Vec<Option<f64>>; 2]> = FxHashMap::default();
    let mut rows_of_a: FxHashMap<FigureName, Vec<String>> = FxHashMap::default();
    for (side, runs) in [a, b].into_iter().enumerate() {
        for (at, run) in runs.iter().enumerate() {
            let of_gaps: Vec<ComparedFigure> = run.of_gaps().collect();
            for figure in run.all.iter().chain(&of_gaps) {
                let sides = match values.entry(figure.name.clone()) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        order.push(figure.name.clone());
                        entry.insert([vec![None; a.len()], vec![None; b.len()]])
                    }
                };
                sides[side][at] = figure.value;
                if let Some(own) = figure.own_row.as_ref().filter(|_| side == 0) {
                    rows_of_a.insert(figure.name.clone(), own.clone());
                }
            }
        }
    }
    let has_calls = |side: &Side, at: usize| side[at].has_calls;
    let known = |name: &FigureName, side: &Side, at: usize, value: Option<f64>| {
        let is_there = has_calls(side, at) || !chief::needs_calls(name.table);
        value.or_else(|| (is_there && chief::is_zero_absent(name)).then_some(0.0))
    };
    let comparison = |name: FigureName| {
        let [of_a, of_b] = values.remove(&name).unwrap_or_default();
        let known_values = |side: &Side, values: Vec<Option<f64>>| -> Vec<f64> {
            values.into_iter().enumerate().filter_map(|(at, value)| known(&name, side, at, value)).collect()
        };
        let (a, b) = (known_values(a, of_a), known_values(b, of_b));
        let test = noise::test(&a, &b);
        let row_of_a = rows_of_a.remove(&name);
        Comparison { name, a, b, test, differs: Differs::Unknown, row_of_a }
    };
    order.into_iter().map(comparison).collect()
}

/// Judges together the figures that people are shown.
fn judge(all: &mut [Comparison]) {
    let mut judged: Vec<&mut Comparison> = all.iter_mut().filter(|figure| chief::is_chief(&figure.name)).collect();
    let tests: Vec<(usize, f64)> =
        judged.iter().enumerate().filter_map(|(at, figure)| Some((at, figure.test?.p))).collect();
    let differ = noise::differ(&tests.iter().map(|(_, p)| *p).collect::<Vec<f64>>());
    for ((at, _), differs) in tests.into_iter().zip(differ) {
        let differs_alone = judged[at].test.is_some_and(|test| noise::differs(&test));
        judged[at].differs = match (differs, differs_alone) {
            (true, _) => Differs::Yes,
            (false, true) => Differs::Perhaps,
            (false, false) => Differs::No,
        };
    }
}

impl Comparison {
    /// The mean of A's runs; `None` if no run has the figure.
    pub fn mean_a(&self) -> Option<f64> {
        mean(&self.a)
    }

    /// The mean of B's runs; `None` if no run has the figure.
    pub fn mean_b(&self) -> Option<f64> {
        mean(&self.b)
    }

    /// The mean of B minus the mean of A.
    pub fn difference(&self) -> Option<f64> {
        Some(self.mean_b()? - self.mean_a()?)
    }

    /// The difference of the means, or 0 if a side has none.
    pub fn change(&self) -> f64 {
        self.difference().unwrap_or(0.0)
    }

    /// The mean of B divided by the mean of A; `None` if A is 0.
    pub fn ratio(&self) -> Option<f64> {
        let a = self.mean_a().filter(|a| *a != 0.0)?;
        Some(self.mean_b()? / a)
    }

    /// A mean in the figure's unit.
    pub fn value(&self, mean: Option<f64>) -> Value {
        mean.map_or(Value::None, |mean| Value::in_unit(self.name.unit, mean))
    }

    /// The difference in words, see [`VERDICT`].
    pub fn verdict(&self) -> &'static str {
        let is_more = self.change() > 0.0;
        match self.differs {
            Differs::Unknown => "unknown",
            Differs::No => "noise",
            Differs::Perhaps if is_more => "perhaps more",
            Differs::Perhaps => "perhaps less",
            Differs::Yes if is_more => "more",
            Differs::Yes => "less",
        }
    }
}

/// The meaning of a verdict.
pub const VERDICT: &str = "The result of the comparison: more, less, or noise; perhaps more or less, where this figure alone would be beyond noise, \
                           but one in twenty is by chance; unknown where one run a side cannot tell.";

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// One comparison, for programs.
pub struct FigureRow(Comparison);

impl Row for FigureRow {
    const TABLE: &'static str = "figures";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("table", "", |row: &Self| row.0.name.table.to_string())
                .means("The table that the figure is of."),
            Column::text("row", "", |row: &Self| row.0.name.row.join(" "))
                .means("The row: a function, a call site, a wait state."),
            Column::text("a_row", "", |row: &Self| row.0.row_of_a.as_ref().map(|row| row.join(" ")))
                .means("The row's name in A, if its call site has another line, file or function there."),
            Column::text("figure", "", |row: &Self| row.0.name.figure.clone()).means(meaning::FIGURE),
            Column::by_row("a", "", |row: &Self| row.0.value(row.0.mean_a()))
                .means("The figure of A: the mean of its runs."),
            Column::by_row("b", "", |row: &Self| row.0.value(row.0.mean_b()))
                .means("The figure of B: the mean of its runs."),
            Column::ratio("b_by_a", "", |row: &Self| row.0.ratio()).means("B divided by A."),
            Column::ratio("b_by_a_low", "", |row: &Self| Some(row.0.test?.ratio?.0))
                .means("The least that the ratio may be, with 95 % confidence."),
            Column::ratio("b_by_a_high", "", |row: &Self| Some(row.0.test?.ratio?.1))
                .means("The most that the ratio may be, with 95 % confidence."),
            Column::ratio("p", "", |row: &Self| Some(row.0.test?.p))
                .means("How likely a difference as large is by chance, where A and B are the same."),
            Column::text("verdict", "", |row: &Self| row.0.verdict().to_string()).means(VERDICT),
        ]
    }
}

/// One row for each figure, for programs only.
pub fn figures_table(all: Vec<Comparison>) -> Table<FigureRow> {
    Table::new("", all.into_iter().map(FigureRow).collect()).for_programs()
}
