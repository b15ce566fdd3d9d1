//! All figures of one run, each identified by its table, its row and its column.

use super::gaps::{self, Gaps};
use super::names_of_both::ComparedNames;
use super::program_sites::{self, ProgramSite};
use crate::engine::Ledger;
use crate::imbalance::COMPUTATION;
use crate::pop::Efficiency;
use crate::scheduling::delayed_share;
use crate::summary::Finding;
use crate::{breakdown, engine, groupings, imbalance, overlap, overview, pop, rank_programs, settings, waits};
use model::matching::{Account, Follow, settled};
use model::roles::CallSite;
use model::shared_walk::Computation;
use model::{Rank, Run};
use tables::{ColumnHead, Fact, Label, Sheet, Unit, Value};
use traces::definitions::Variable;

pub struct ComparedFigure {
    pub name: FigureName,
    /// `None` if the run has the figure but its value is unknown.
    pub value: Option<f64>,
    /// The parts of the row's name that are a call site and the function that it calls.
    site: Option<SiteParts>,
    /// The row's name in the run, if the comparison has another one.
    pub own_row: Option<Vec<String>>,
}

/// Places in a row's name.
#[derive(Clone, Copy)]
struct SiteParts {
    site: usize,
    function: usize,
}

/// The identity of a figure in all runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FigureName {
    /// The table.
    pub table: &'static str,
    /// The values that name the row, such as call site and function; empty for facts.
    pub row: Vec<String>,
    /// The key of the column, which ends in its unit.
    pub figure: String,
    pub heading: String,
    pub unit: Unit,
    /// The row's label, if the row is named by one rather than by values of the program.
    pub label: Option<Label>,
}

/// The compared figures of a run.
pub struct Figures {
    pub all: Vec<ComparedFigure>,
    /// True if single calls were recorded, without which there are no waits and no efficiencies.
    pub has_calls: bool,
    /// Warnings about the run's waits and overlap.
    pub warnings: Vec<String>,
    /// The program, and the ranks and hosts it ran on.
    pub program: Fact,
    pub command: String,
    /// The variables that set up MPI or threads, of the first rank.
    pub settings: Vec<String>,
    /// The settings of the MPI library.
    pub variables: Vec<Variable>,
    pub ranks: u32,
    /// Share of the ranks' time in which they were ready to run but did not; `None` if unknown.
    pub delayed: Option<f64>,
    /// Computation by the calls around it.
    pub gaps: Gaps,
    /// The program's call sites.
    pub sites: Vec<ProgramSite>,
    /// The first screen's findings; `None` if they were not sought.
    pub findings: Option<Vec<Finding>>,
}

/// Computes all figures of a run but those that the methods of `Figures` add.
pub fn figures(run: &Run) -> Figures {
    if !run.records_calls() {
        return of_run(run, None);
    }
    let account = settled(run, Follow::DEPENDENCIES).account;
    let (efficiency, _) = pop::efficiencies(run, &account);
    figures_of(run, &account, &efficiency)
}

/// Like [`figures`], of a run with single calls whose waits and efficiencies are known.
pub fn figures_of(run: &Run, account: &Account, efficiency: &Efficiency) -> Figures {
    of_run(run, Some((account, efficiency)))
}

fn of_run(run: &Run, matched: Option<(&Account, &Efficiency)>) -> Figures {
    let overview = overview::facts(run);
    let mut all = facts(&overview);
    all.extend(engine_figures(run));
    all.extend(of_sheet(FUNCTIONS, &breakdown::functions(run).into()));
    all.extend(of_sheet(SITES, &groupings::sites(run).into()));
    all.extend(of_sheet(SIZES, &groupings::sizes(run).into()));
    all.extend(of_sheet(IMBALANCE, &imbalance::functions(run).into()));
    let mut warnings = Vec::new();
    if let Some((account, efficiency)) = matched {
        warnings.extend(waits::warnings(run, account));
        all.extend(facts(&waits::facts(run, account)));
        all.extend(of_sheet(WAITS, &waits::states(run, account).into()));
        all.extend(facts(&pop::facts(run, efficiency)));
        all.extend(of_sheet(POP, &pop::factors(efficiency).into()));
    }
    let program = overview.into_iter().find(|fact| fact.key == overview::PROGRAM);
    let program = program.unwrap_or_else(|| Fact::hidden(overview::PROGRAM, Value::None));
    let (command, ranks, delayed) = (rank_programs::command(run.first()), run.size(), delayed_share(run));
    let (settings, variables) = (run.first().settings.clone(), settings::variables(run));
    let (has_calls, gaps, findings) = (matched.is_some(), Gaps::new(), None);
    let sites = program_sites::of_run(run);
    Figures { all, has_calls, warnings, program, command, settings, variables, ranks, delayed, gaps, sites, findings }
}

impl Figures {
    /// Adds the figures of nonblocking requests.
    pub fn add_overlap(&mut self, requests: &overlap::GatheredRequests) {
        self.all.extend(of_sheet(OVERLAP, &overlap::messages(requests).into()));
        self.all.extend(of_sheet(OVERLAP, &overlap::collectives(requests).into()));
        self.warnings.extend(overlap::unseen(requests));
    }

    /// Adds the time outside MPI as a row among the functions.
    pub fn add_computation(&mut self, run: &Run) {
        let all = run.asked().map(Rank::mean_computation).sum::<f64>();
        self.all.push(plain(FUNCTIONS, COMPUTATION.into(), (TIME_MEAN, Unit::Seconds), all / mean_of(run)));
    }

    /// Adds computation by the calls around it.
    pub fn add_gaps(&mut self, run: &Run, computation: &Computation) {
        self.gaps = gaps::of_run(run, computation);
    }

    /// The figures of computation between calls.
    pub fn of_gaps(&self) -> impl Iterator<Item = ComparedFigure> {
        self.gaps.iter().flat_map(|(place, gap)| {
            let time = plain(GAPS, place.to_string(), (TIME_MEAN, Unit::Seconds), gap.mean);
            [time, plain(GAPS, place.to_string(), ("passes", Unit::Count), gap.passes)]
        })
    }

    /// Gives call sites the names that they have in the comparison.
    pub fn rename(&mut self, names: &ComparedNames) {
        for figure in &mut self.all {
            figure.rename(names);
        }
        for (place, gap) in std::mem::take(&mut self.gaps) {
            self.gaps.entry(place.renamed(names)).or_default().add(gap);
        }
        for finding in self.findings.iter_mut().flatten() {
            for site in &mut finding.sites {
                *site = names.place(site);
            }
        }
    }

    pub fn fact(&self, key: &str) -> Option<f64> {
        self.all.iter().find(|figure| figure.name.table == RUN && figure.name.figure == key)?.value
    }

    /// Seconds by function, mean of the ranks.
    pub fn functions(&self) -> impl Iterator<Item = (String, f64)> {
        self.column(FUNCTION_TIMES.0, FUNCTION_TIMES.1).filter_map(|(row, time)| Some((row.first()?.clone(), time)))
    }

    /// Seconds by call site and function, mean of the ranks.
    pub fn sites(&self) -> impl Iterator<Item = (String, f64)> {
        self.column(SITES, TIME_MEAN).filter_map(|(row, time)| match row {
            [site, function] => Some((format!("{function} at {site}"), time)),
            _ => None,
        })
    }

    /// The POP metrics in percent.
    pub fn efficiencies(&self) -> impl Iterator<Item = (&str, f64)> {
        self.column(POP, "percent").filter_map(|(row, percent)| Some((row.first()?.as_str(), percent)))
    }

    /// One column of a table, with the values that name its rows.
    fn column(&self, table: &'static str, key: &'static str) -> impl Iterator<Item = (&[String], f64)> {
        let of_column = move |figure: &&ComparedFigure| figure.name.table == table && figure.name.figure == key;
        self.all.iter().filter(of_column).filter_map(|figure| Some((figure.name.row.as_slice(), figure.value?)))
    }
}

impl ComparedFigure {
    fn new(name: FigureName, value: Option<f64>) -> ComparedFigure {
        ComparedFigure { name, value, site: None, own_row: None }
    }

    fn rename(&mut self, names: &ComparedNames) {
        let Some(parts) = self.site else { return };
        let row = &self.name.row;
        let (site, function) = (&row[parts.site], &row[parts.function]);
        let (site, function) = if self.name.table == SITES {
            names.site(site, function).unwrap_or_else(|| (site.clone(), function.clone()))
        } else {
            let call = names.call(&CallSite { function: function.clone(), site: site.clone() });
            (call.site, call.function)
        };
        let mut renamed = row.clone();
        renamed[parts.site] = site;
        renamed[parts.function] = function;
        if renamed != *row {
            self.own_row = Some(std::mem::replace(&mut self.name.row, renamed));
        }
    }
}

/// The number of ranks that a mean is over.
fn mean_of(run: &Run) -> f64 {
    run.asked().count().max(1) as f64
}

/// A figure of a row that one name identifies.
fn plain(table: &'static str, row: String, (key, unit): (&str, Unit), value: f64) -> ComparedFigure {
    let name = FigureName { table, row: vec![row], figure: key.into(), heading: String::new(), unit, label: None };
    ComparedFigure::new(name, Some(value))
}

/// The facts that are numbers, except the begin of the run, which is not compared.
fn facts(facts: &[Fact]) -> Vec<ComparedFigure> {
    let numbers = facts.iter().filter(|fact| fact.key != overview::BEGAN);
    let figure = |fact: &Fact| {
        let name = FigureName {
            table: RUN,
            row: Vec::new(),
            figure: fact.key.name.to_string(),
            heading: fact.heading.to_string(),
            unit: fact.key.unit,
            label: None,
        };
        Some(ComparedFigure::new(name, Some(fact.value.number()?)))
    };
    numbers.filter_map(figure).collect()
}

/// The figures of the progress engine that are known.
fn engine_figures(run: &Run) -> Vec<ComparedFigure> {
    let ledger = Ledger::of_run(run);
    let figure = |figure: &engine::LedgerFigure| {
        let value = figure.value(&ledger);
        let name = FigureName {
            table: ENGINE,
            row: vec![figure.label.name.to_string()],
            figure: figure.label.key.to_string(),
            heading: figure.heading.to_string(),
            unit: figure.unit(),
            label: Some(figure.label),
        };
        ComparedFigure::new(name, value.number())
    };
    engine::FIGURES.iter().filter(|figure| figure.is_shown(&ledger)).map(figure).collect()
}

/// The measured figures of all rows of a table. Columns with `is_name` name the row.
fn of_sheet(table: &'static str, sheet: &Sheet) -> Vec<ComparedFigure> {
    let of_row = |row: &Vec<Value>| {
        let columns = sheet.columns.iter().zip(row).filter(|(column, _)| column.is_name);
        let names: Vec<(&str, &Value)> =
            columns.map(|(column, value)| (&*column.key, value)).filter(|(_, value)| **value != Value::None).collect();
        let label = if let [(_, Value::Label(label))] = names[..] { Some(*label) } else { None };
        let parts = row_name(&names);
        // No parts are joined before a site and its function.
        let place = |wanted: &str| names.iter().position(|(key, _)| *key == wanted);
        let site = place("site").zip(place("function")).map(|(site, function)| SiteParts { site, function });
        let figures = sheet.columns.iter().zip(row).filter(|(column, _)| !column.is_name && column.unit.is_measured());
        let figure = |(column, value): (&ColumnHead, &Value)| {
            let name = FigureName {
                table,
                row: parts.clone(),
                figure: column.key.to_string(),
                heading: column.heading.to_string(),
                unit: column.unit,
                label,
            };
            ComparedFigure { site, ..ComparedFigure::new(name, value.number()) }
        };
        figures.map(figure).collect::<Vec<_>>()
    };
    sheet.rows.iter().flat_map(of_row).collect()
}

/// The parts of a row's name, from the keys and the values of its columns; the bounds of a range of sizes are one part.
fn row_name(names: &[(&str, &Value)]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for (key, value) in names {
        let part = value.to_string().trim_start().to_string();
        match parts.last_mut().filter(|_| *key == "size_below_bytes") {
            Some(from) => *from = range(from, &part),
            None => parts.push(part),
        }
    }
    parts
}

/// `4.0-8.0 KiB`, `512 B-1.0 KiB`; a single size if the bounds are equal.
fn range(from: &str, below: &str) -> String {
    match (from.split_once(' '), below.split_once(' ')) {
        _ if from == below => from.to_string(),
        (Some((least, unit)), Some((_, other))) if unit == other => format!("{least}-{below}"),
        _ => format!("{from}-{below}"),
    }
}

pub const RUN: &str = "run";
/// Figures of the progress engine.
pub const ENGINE: &str = "ledger";
pub const FUNCTIONS: &str = "functions";
/// Time, mean of the ranks: the column of functions and sites.
pub const TIME_MEAN: &str = "time_mean_s";
/// Time by function, mean of the ranks: table and column.
pub const FUNCTION_TIMES: (&str, &str) = (FUNCTIONS, TIME_MEAN);
/// Time by call site and function.
pub const SITES: &str = "sites";
/// Time by size of message and function.
pub const SIZES: &str = "sizes";
/// Computation by the calls before and after it.
pub const GAPS: &str = "computation";
pub const IMBALANCE: &str = "imbalance";
pub const WAITS: &str = "wait_states";
/// Nonblocking requests by direction, function, call site and size.
pub const OVERLAP: &str = "overlap";
pub const POP: &str = "pop";
/// All tables, as `--fail-if TABLE:` may name them.
pub const TABLES: [&str; 10] = [RUN, ENGINE, FUNCTIONS, SITES, GAPS, SIZES, IMBALANCE, WAITS, POP, OVERLAP];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_sizes_is_one_part_of_a_rows_name() {
        let name = |from: u64, below: Value| {
            let function = Value::Text("MPI_Irecv".into());
            let from = Value::Bytes(from);
            let names = [("size_bytes", &from), ("size_below_bytes", &below), ("function", &function)];
            let known: Vec<(&str, &Value)> = names.into_iter().filter(|(_, value)| **value != Value::None).collect();
            row_name(&known).join(" ")
        };
        assert_eq!(name(4096, Value::Bytes(8192)), "4.0-8.0 KiB MPI_Irecv");
        assert_eq!(name(512, Value::Bytes(1024)), "512 B-1.0 KiB MPI_Irecv");
        assert_eq!(name(0, Value::Bytes(0)), "0 B MPI_Irecv");
        assert_eq!(name(100, Value::None), "100 B MPI_Irecv");
    }
}
