//! All figures of one run, each identified by its table, its row and its column.

use super::names;
use crate::engine::Ledger;
use crate::{breakdown, engine, groupings, imbalance, overlap, overview, pop, programs, waits};
use model::Run;
use model::matching::{Follow, settled};
use tables::{ColumnHead, Fact, Label, Sheet, Unit, Value};

pub struct ComparedFigure {
    pub name: FigureName,
    /// `None` if the run has the figure but its value is unknown.
    pub value: Option<f64>,
}

/// The identity of a figure in all runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FigureName {
    /// The table, one of [`names`].
    pub table: &'static str,
    /// The values that name the row, such as call site and function; empty for facts.
    pub row: Vec<String>,
    /// The key of the column, which ends in its unit.
    pub figure: String,
    /// The heading of the column in text.
    pub heading: String,
    pub unit: Unit,
    /// The row's label, if the row is named by one rather than by values of the program.
    pub label: Option<Label>,
}

/// The compared figures of a run.
pub struct Figures {
    /// All figures, in the order of the tables.
    pub all: Vec<ComparedFigure>,
    /// Whether single calls were recorded, without which there are no waits and no efficiencies.
    pub has_calls: bool,
    /// Warnings about the run's waits and overlap.
    pub warnings: Vec<String>,
    /// The program, and the ranks and hosts it ran on.
    pub program: Fact,
    /// The command with its arguments.
    pub command: String,
    pub ranks: u32,
}

/// Computes all figures of a run but those of `Figures::add_overlap`.
pub fn figures(run: &Run) -> Figures {
    let overview = overview::facts(run);
    let mut all = facts(&overview);
    all.extend(engine_figures(run));
    all.extend(of_sheet(names::FUNCTIONS, &breakdown::functions(run).into()));
    all.extend(of_sheet(names::SITES, &groupings::sites(run).into()));
    all.extend(of_sheet(names::SIZES, &groupings::sizes(run).into()));
    all.extend(of_sheet(names::IMBALANCE, &imbalance::functions(run).into()));
    let mut warnings = Vec::new();
    let has_calls = run.has_calls("waits").is_ok();
    if has_calls {
        let mut account = settled(run, Follow::DEPENDENCIES).account;
        warnings.extend(waits::unmatched(run, &account));
        warnings.extend(waits::explained(run, &account));
        all.extend(facts(&waits::facts(run, &account)));
        all.extend(of_sheet(names::WAITS, &waits::states(run, &account).into()));
        let (efficiency, _) = pop::efficiencies(run, &mut account);
        all.extend(facts(&pop::facts(run, &efficiency)));
        all.extend(of_sheet(names::POP, &pop::factors(&efficiency).into()));
    }
    let program = overview.into_iter().find(|fact| fact.key == overview::PROGRAM);
    let program = program.unwrap_or_else(|| Fact::hidden(overview::PROGRAM, Value::None));
    Figures { all, has_calls, warnings, program, command: programs::command(run.first()), ranks: run.size() }
}

impl Figures {
    /// Adds the figures of nonblocking requests.
    pub fn add_overlap(&mut self, requests: &overlap::GatheredRequests) {
        self.all.extend(of_sheet(names::OVERLAP, &overlap::messages(requests).into()));
        self.all.extend(of_sheet(names::OVERLAP, &overlap::collectives(requests).into()));
        self.warnings.extend(overlap::unseen(requests));
    }

    /// A fact, by its key.
    pub fn fact(&self, key: &str) -> Option<f64> {
        self.all.iter().find(|figure| figure.name.table == names::RUN && figure.name.figure == key)?.value
    }

    /// Seconds by function, mean of the ranks.
    pub fn functions(&self) -> impl Iterator<Item = (&str, f64)> {
        self.column(names::FUNCTION_TIMES.0, names::FUNCTION_TIMES.1)
    }

    /// The POP metrics in percent.
    pub fn efficiencies(&self) -> impl Iterator<Item = (&str, f64)> {
        self.column(names::POP, "percent")
    }

    /// One column of a table whose rows are named by one value.
    fn column(&self, table: &'static str, key: &'static str) -> impl Iterator<Item = (&str, f64)> {
        let of_column = move |figure: &&ComparedFigure| figure.name.table == table && figure.name.figure == key;
        self.all.iter().filter(of_column).filter_map(|figure| Some((figure.name.row.first()?.as_str(), figure.value?)))
    }
}

/// The facts that are numbers. When the run began is not compared.
fn facts(facts: &[Fact]) -> Vec<ComparedFigure> {
    let numbers = facts.iter().filter(|fact| fact.key != overview::BEGAN);
    let figure = |fact: &Fact| {
        let name = FigureName {
            table: names::RUN,
            row: Vec::new(),
            figure: fact.key.name.to_string(),
            heading: fact.heading.to_string(),
            unit: fact.key.unit,
            label: None,
        };
        Some(ComparedFigure { name, value: Some(fact.value.number()?) })
    };
    numbers.filter_map(figure).collect()
}

/// The figures of the progress engine that are known.
fn engine_figures(run: &Run) -> Vec<ComparedFigure> {
    let ledger = Ledger::of_run(run);
    let figure = |figure: &engine::LedgerFigure| {
        let value = figure.value(&ledger);
        let name = FigureName {
            table: names::ENGINE,
            row: vec![figure.label.name.to_string()],
            figure: figure.label.key.to_string(),
            heading: figure.heading.to_string(),
            unit: figure.unit(),
            label: Some(figure.label),
        };
        ComparedFigure { name, value: value.number() }
    };
    engine::FIGURES.iter().filter(|figure| figure.is_shown(&ledger)).map(figure).collect()
}

/// The measured figures of all rows of a table. Columns with `is_name` name the row.
fn of_sheet(table: &'static str, sheet: &Sheet) -> Vec<ComparedFigure> {
    let named = |row: &[Value]| -> Vec<Value> {
        let columns = sheet.columns.iter().zip(row).filter(|(column, _)| column.is_name);
        columns.map(|(_, value)| value.clone()).filter(|value| *value != Value::None).collect()
    };
    let of_row = |row: &Vec<Value>| {
        let names = named(row);
        let label = if let [Value::Label(label)] = names[..] { Some(label) } else { None };
        let parts: Vec<String> = names.iter().map(|name| name.to_string().trim_start().to_string()).collect();
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
            ComparedFigure { name, value: value.number() }
        };
        figures.map(figure).collect::<Vec<_>>()
    };
    sheet.rows.iter().flat_map(of_row).collect()
}
