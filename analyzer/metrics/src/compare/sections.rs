//! The tables of a comparison for people.

use super::changes::most_changed;
use super::chief::{ComparedTable, SECTIONS, is_chief};
use super::joined::{Comparison, Differs, VERDICT};
use super::run_figures::{FUNCTIONS, GAPS, RUN, SITES, WAITS};
use crate::{meaning, overview};
use tables::{Column, Label, Sheet, Table, Unit, Value};

/// The tables of a comparison. With `has_verdict` they have the interval and the verdict, for which each side needs several runs.
pub fn sections(all: &[Comparison], has_verdict: bool) -> Vec<Sheet> {
    SECTIONS.iter().filter_map(|section| section.sheet(all, has_verdict)).collect()
}

struct SectionRow {
    name: String,
    label: Option<Label>,
    /// Index of the row's figure in the section, if the section has several.
    figure: Option<usize>,
    a: Value,
    b: Value,
    less: Value,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    verdict: &'static str,
    counts: [Option<f64>; 2],
    /// The sort key: the absolute difference, of the section's first figure if it has several.
    difference: f64,
}

impl ComparedTable {
    fn sheet(&self, all: &[Comparison], has_verdict: bool) -> Option<Sheet> {
        let of_table = || all.iter().filter(|figure| figure.name.table == self.table);
        let count = |row: &[String]| {
            let (key, _) = self.count?;
            of_table().find(|figure| figure.name.figure == key && figure.name.row == row)
        };
        let first = |row: &[String]| {
            let key = self.figures.first()?.key;
            of_table().find(|figure| figure.name.figure == key && figure.name.row == row)
        };
        let is_known = |figure: &&Comparison| self.figures.len() <= 1 || !(figure.a.is_empty() && figure.b.is_empty());
        let chief = of_table().filter(|figure| is_chief(&figure.name)).filter(is_known);
        let row = |figure: &Comparison| {
            let counted = count(&figure.name.row);
            SectionRow {
                name: figure.name.row.join(" "),
                label: figure.name.label,
                figure: self.place(&figure.name.figure),
                a: figure.value(figure.mean_a()),
                b: figure.value(figure.mean_b()),
                less: less(figure),
                ratio: figure.ratio(),
                interval: figure.test.and_then(|test| test.ratio),
                verdict: figure.verdict(),
                counts: [counted.and_then(Comparison::mean_a), counted.and_then(Comparison::mean_b)],
                difference: first(&figure.name.row).unwrap_or(figure).difference().unwrap_or(0.0).abs(),
            }
        };
        let mut rows: Vec<SectionRow> = chief.map(row).collect();
        if self.most.is_some() {
            // Rows of the same name, one for each figure, have equal differences and stay together.
            let by_size = |one: &SectionRow, other: &SectionRow| other.difference.total_cmp(&one.difference);
            rows.sort_by(|one, other| {
                by_size(one, other).then_with(|| (&one.name, one.figure).cmp(&(&other.name, other.figure)))
            });
        }
        let is_labelled = rows.first()?.label.is_some();
        let table = Table::with_columns(self.table, "", self.columns(is_labelled, has_verdict), rows).for_people();
        let table = if let Some(most) = self.most { table.most(most) } else { table.whole() };
        Some(table.into())
    }

    fn columns(&self, is_labelled: bool, has_verdict: bool) -> Vec<Column<SectionRow>> {
        let (a, b) = (|row: &SectionRow| row.a.clone(), |row: &SectionRow| row.b.clone());
        let column = if is_labelled {
            Column::label("row", self.title, |row: &SectionRow| row.label)
        } else {
            Column::text("row", self.title, |row: &SectionRow| row.name.clone())
        };
        let mut columns = vec![column.means("The row: a function, a call site, a wait state.")];
        if self.figures.len() > 1 {
            let figures = self.figures;
            columns.push(
                Column::label("figure", "figure", move |row: &SectionRow| row.figure.map(|at| figures[at]))
                    .means(meaning::FIGURE),
            );
        }
        columns.extend(match self.unit {
            Unit::Seconds => [
                Column::seconds("a_s", "A", move |row| a(row).seconds()),
                Column::seconds("b_s", "B", move |row| b(row).seconds()),
            ],
            _ => [Column::by_row("a", "A", a), Column::by_row("b", "B", b)],
        });
        let difference = match self.unit {
            Unit::Seconds => Column::seconds("difference_s", "B - A", |row: &SectionRow| row.less.seconds()),
            _ => Column::by_row("difference", "B - A", |row: &SectionRow| row.less.clone()),
        };
        columns.push(difference.spare(3));
        columns.push(Column::ratio("b_by_a", "B / A", |row: &SectionRow| row.ratio).means("B divided by A."));
        if has_verdict {
            let interval = |row: &SectionRow| {
                row.interval.map(|(low, high)| format!("{} to {}", bound_in_words(low), bound_in_words(high)))
            };
            columns.push(Column::text("interval", "95 %", interval).spare(1));
            columns.push(Column::text("verdict", "B is", |row: &SectionRow| row.verdict.to_string()).means(VERDICT));
        }
        if let Some((_, heading)) = self.count {
            let count = |side: usize| move |row: &SectionRow| row.counts[side].map(|count| count.round() as u64);
            columns.push(Column::count("a_count", format!("{heading} A"), count(0)).spare(4));
            columns.push(Column::count("b_count", format!("{heading} B"), count(1)).spare(2));
        }
        columns
    }
}

/// A bound of a ratio. Far from 1 it only says that a few runs do not tell.
fn bound_in_words(ratio: f64) -> String {
    const FAR: f64 = 100.0;
    match ratio {
        ratio if ratio > FAR => format!(">{FAR}"),
        ratio if ratio < 1.0 / FAR => format!("<{}", 1.0 / FAR),
        ratio => Value::Ratio(ratio).to_string(),
    }
}

/// B less A; of counts as a plain number and of bytes as text, since it may be below 0.
fn less(figure: &Comparison) -> Value {
    let Some(difference) = figure.difference() else { return Value::None };
    match figure.name.unit {
        Unit::Count => Value::Ratio(difference),
        Unit::Bytes => {
            let sign = if difference < 0.0 { "-" } else { "" };
            Value::Text(format!("{sign}{}", Value::in_unit(Unit::Bytes, difference.abs())))
        }
        unit => Value::in_unit(unit, difference),
    }
}

/// Tables that get a sentence, with the words for whose time their figures are.
const TOLD: [(&str, &str); 4] =
    [(FUNCTIONS, "per rank"), (SITES, "per rank"), (GAPS, "of computation per rank"), (WAITS, "over all ranks")];

/// One sentence for the wall time, and one for the largest difference of each table. If sides have several runs, only
/// differences get one that may be beyond noise.
pub fn sentences(all: &[Comparison]) -> Vec<String> {
    let wall = all.iter().find(|figure| figure.name.table == RUN && figure.name.figure == overview::WALL_TIME.name);
    let most = |(table, of): &(&str, &str)| {
        let most = most_changed(all.iter().filter(|figure| figure.differs != Differs::No), table)?;
        let name = most.name.row.join(" ");
        let more = in_words(most.change(), "more", "less")?;
        let perhaps = if most.differs == Differs::Perhaps { ", perhaps by chance" } else { "" };
        Some(format!("{name}: {more} {of} in B, {}{perhaps}.", both(most)))
    };
    let wall = wall.map(|wall| match in_words(wall.change(), "longer than", "less than") {
        Some(longer) => format!("B takes {longer} A, {}.", both(wall)),
        None => format!("A and B take equally long, {}.", wall.value(wall.mean_b())),
    });
    wall.into_iter().chain(TOLD.iter().filter_map(most)).collect()
}

/// An amount with the word for its sign; `None` for nothing.
fn in_words(seconds: f64, more: &str, less: &str) -> Option<String> {
    let word = if seconds > 0.0 { more } else { less };
    (seconds != 0.0).then(|| format!("{} {word}", Value::Seconds(seconds.abs())))
}

/// The values of both sides, with their ratio.
fn both(figure: &Comparison) -> String {
    let ratio = figure.ratio().map_or(String::new(), |ratio| format!(", {} times A's", Value::Ratio(ratio)));
    format!("{} instead of {}{ratio}", figure.value(figure.mean_b()), figure.value(figure.mean_a()))
}
