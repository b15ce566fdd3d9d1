//! A report for people: tables in a terminal of 80 columns.

use std::io::{self, IsTerminal, Write};

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::scale::Scale;
use super::visible::{visible, width};
use super::{Column, Fact, Report, Table, Value};

/// Columns that a terminal has at least, and that output into a file is made for.
const WIDTH: usize = 80;

/// Prints the report.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let shown = || report.facts.iter().filter(|fact| !fact.heading.is_empty());
    let longest = shown().map(|fact| width(fact.heading)).max().unwrap_or(0);
    for fact in shown() {
        let line = format!("{:longest$}  {}", fact.heading, fact_in_words(fact));
        writeln!(out, "{}", wrap(&line, longest + 2))?;
    }
    for table in &report.tables {
        writeln!(out)?;
        if !table.title.is_empty() {
            writeln!(out, "{}", wrap(&table.title, 0))?;
        }
        print_table(table, out)?;
    }
    if !report.warnings.is_empty() {
        writeln!(out)?;
    }
    for warning in &report.warnings {
        writeln!(out, "{}", wrap(&format!("! {warning}"), 2))?;
    }
    Ok(())
}

/// A fact in a line: all its times in one unit, its error with as many digits.
pub fn fact_in_words(fact: &Fact) -> String {
    let figures = || std::iter::once(&fact.value).chain(&fact.note);
    let scale = Scale::of(figures().filter_map(Value::seconds).fold(0.0, |longest, time| time.abs().max(longest)));
    let scale = if fact.error.is_some() { scale } else { scale.in_words() };
    let figure = |value: &Value| value.seconds().map_or_else(|| one(value), |seconds| scale.text(seconds));
    let first = match (fact.value.seconds(), fact.error.as_ref().and_then(Value::seconds)) {
        (Some(seconds), Some(error)) => format!("{} ± {}", scale.number(seconds), scale.text(error)),
        _ => figure(&fact.value),
    };
    fact.note.iter().fold(first, |line, part| line + &figure(part))
}

fn print_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    if table.rows.is_empty() {
        return writeln!(out, "  (nothing)");
    }
    let columns = columns(table);
    let shown = fitting(table, &columns);
    let mut printed = comfy_table::Table::new();
    printed.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    printed.set_header(shown.iter().map(|at| &columns[*at].heading));
    for row in 0..table.rows.len() {
        printed.add_row(shown.iter().map(|at| &columns[*at].cells[row]));
    }
    for (place, at) in shown.iter().enumerate() {
        let Some(column) = printed.column_mut(place) else { continue };
        let is_name = table.rows.iter().any(|row| matches!(row[*at], Value::Text(_) | Value::Label(..)));
        column.set_cell_alignment(if is_name { CellAlignment::Left } else { CellAlignment::Right });
        column.set_padding((if place == 0 { 0 } else { 1 }, 1));
    }
    for line in printed.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A column in words.
struct Printed {
    heading: String,
    cells: Vec<String>,
}

/// All columns in words: the times of a table in one unit with the same decimals, those of single calls in another.
fn columns(table: &Table) -> Vec<Printed> {
    let [all, each] = [false, true].map(|is_each| Scale::of(table.longest(is_each)));
    let is_named = table.columns.iter().any(|column| column.heading.contains(UNIT));
    let mixed: Vec<bool> = (0..table.columns.len()).map(|at| is_mixed(table, at)).collect();
    let column = |(at, column): (usize, &Column)| {
        let scale = if column.is_each { each } else { all };
        let has_times = table.rows.iter().any(|row| row[at].seconds().is_some());
        let heading = match column.heading.contains(UNIT) {
            true => column.heading.replace(UNIT, all.unit),
            false if has_times && !mixed[at] && !is_named => format!("{} {}", column.heading, scale.unit),
            false => column.heading.clone(),
        };
        let cell = |row: &Vec<Value>| match &row[at] {
            Value::Seconds(seconds) => scale.number(*seconds),
            label @ Value::Label(..) => {
                let unit = row.iter().zip(&mixed).find_map(|(value, mixed)| unit(value, all).filter(|_| *mixed));
                format!("{}{}", one(label), unit.map_or(String::new(), |unit| format!(", {unit}")))
            }
            value => visible(&one(value)).into_owned(),
        };
        Printed { heading: visible(heading.trim_start()).into_owned(), cells: table.rows.iter().map(cell).collect() }
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Where a heading has the unit of a table's times.
const UNIT: &str = "{unit}";

/// Whether a column holds figures of several units: then each row names its own.
fn is_mixed(table: &Table, at: usize) -> bool {
    let mut kinds =
        table.rows.iter().map(|row| &row[at]).filter(|value| **value != Value::None).map(std::mem::discriminant);
    let first = kinds.next();
    kinds.any(|kind| Some(kind) != first)
}

/// The unit of a figure whose text does not have it.
fn unit(value: &Value, scale: Scale) -> Option<&'static str> {
    match value {
        Value::Seconds(_) => Some(scale.unit),
        Value::Percent(_) => Some("%"),
        _ => None,
    }
}

/// The columns that are shown, by their places: as many as there is room for.
fn fitting(table: &Table, columns: &[Printed]) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..columns.len()).filter(|at| !table.columns[*at].heading.is_empty()).collect();
    let needed = |column: &Printed| {
        let longest = column.cells.iter().map(|text| width(text)).max().unwrap_or(0);
        longest.max(width(&column.heading))
    };
    let widths: Vec<usize> = columns.iter().map(needed).collect();
    while shown.iter().map(|at| widths[*at] + 2).sum::<usize>() > terminal_width() + 2 {
        let spare = shown.iter().map(|at| table.columns[*at].spare).max().unwrap_or(0);
        if spare == 0 {
            break;
        }
        shown.retain(|at| table.columns[*at].spare < spare);
    }
    shown
}

fn terminal_width() -> usize {
    if io::stdout().is_terminal() { crate::terminal::width().max(WIDTH) } else { WIDTH }
}

/// A value alone, in the unit that suits it.
pub fn one(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Label(_, name, depth) => format!("{:1$}{name}", "", 2 * depth),
        Value::Count(count) | Value::Number(count) => count.to_string(),
        Value::Seconds(seconds) => Scale::of(seconds.abs()).in_words().text(*seconds),
        Value::Bytes(bytes) => in_bytes(*bytes),
        Value::Percent(percent) => format!("{percent:.1}"),
        Value::Ratio(ratio) if *ratio >= 100.0 || *ratio == 0.0 => format!("{ratio:.0}"),
        Value::Ratio(ratio) => {
            format!("{ratio:.*}", 2usize.saturating_sub(ratio.abs().log10().floor() as usize).min(2))
        }
        Value::None => "-".into(),
    }
}

/// Bytes in the binary unit that leaves up to four digits.
fn in_bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.max(1).ilog2() / 10) as usize;
    let number = bytes as f64 / (1u64 << (10 * power)) as f64;
    match power {
        0 => format!("{bytes} B"),
        _ if number < 99.95 => format!("{number:.1} {}", UNITS[power]),
        _ => format!("{number:.0} {}", UNITS[power]),
    }
}

/// Breaks a line at spaces; the lines that follow are indented.
fn wrap(line: &str, indent: usize) -> String {
    let line = visible(line);
    let room = terminal_width();
    let mut text = String::new();
    let mut length = 0;
    for word in line.split_inclusive(' ') {
        let long = width(word.trim_end());
        if length + long > room && length > indent {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            length = indent;
        }
        text.push_str(word);
        length += width(word);
    }
    text
}
