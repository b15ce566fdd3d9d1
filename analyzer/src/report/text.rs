//! A report for people: tables in a terminal of 80 columns.

use std::io::{self, IsTerminal, Write};

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::visible::{visible, width};
use super::{Report, Table, Value};

/// Columns that a terminal has at least, and that output into a file is made for.
const WIDTH: usize = 80;

/// Prints the report.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let shown = || report.facts.iter().filter(|fact| !fact.heading.is_empty());
    let longest = shown().map(|fact| width(fact.heading)).max().unwrap_or(0);
    for fact in shown() {
        let value = one(&fact.value);
        let line = format!("{:longest$}  {value}{}", fact.heading, fact.note);
        writeln!(out, "{}", wrap(&line, longest + 2))?;
    }
    for table in &report.tables {
        writeln!(out)?;
        if !table.title.is_empty() {
            writeln!(out, "{}", visible(&table.title))?;
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

fn print_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    if table.rows.is_empty() {
        return writeln!(out, "  (nothing)");
    }
    let shown = fitting(table);
    let mut printed = comfy_table::Table::new();
    printed.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    printed.set_header(shown.iter().map(|at| visible(&table.columns[*at].heading)));
    let columns: Vec<Vec<String>> = shown.iter().map(|at| column(table, *at)).collect();
    for row in 0..table.rows.len() {
        printed.add_row(columns.iter().map(|column| &column[row]));
    }
    for (place, at) in shown.iter().enumerate() {
        let Some(column) = printed.column_mut(place) else { continue };
        let is_name = table.rows.iter().any(|row| matches!(row[*at], Value::Text(_)));
        column.set_cell_alignment(if is_name { CellAlignment::Left } else { CellAlignment::Right });
        column.set_padding((if place == 0 { 0 } else { 1 }, 1));
    }
    for line in printed.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The columns that are shown, by their places: as many as there is room for.
fn fitting(table: &Table) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..table.columns.len()).filter(|at| !table.columns[*at].heading.is_empty()).collect();
    let needed = |at: usize| {
        let longest = column(table, at).iter().map(|text| width(text)).max().unwrap_or(0);
        longest.max(width(&visible(&table.columns[at].heading)))
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(needed).collect();
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

/// The values of a column in words; times in one unit and with the same decimals, so that they can be compared.
fn column(table: &Table, at: usize) -> Vec<String> {
    let values = || table.rows.iter().map(|row| &row[at]);
    let longest = values().filter_map(|value| if let Value::Seconds(s) = value { Some(*s) } else { None });
    let decimals = decimals(longest.fold(0.0, f64::max));
    values()
        .map(|value| match value {
            Value::Seconds(seconds) => format!("{seconds:.decimals$}"),
            value => visible(&one(value)).into_owned(),
        })
        .collect()
}

/// Decimals that tell microseconds where that fits into nine places.
fn decimals(seconds: f64) -> usize {
    let before = if seconds < 1.0 { 1 } else { seconds.log10() as usize + 1 };
    8usize.saturating_sub(before).min(6)
}

/// A value alone, in the unit that suits it.
pub fn one(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(count) => count.to_string(),
        Value::Seconds(s) if *s >= 1.0 || *s == 0.0 => format!("{s:.3} s"),
        Value::Seconds(s) if *s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        Value::Seconds(s) if *s >= 1e-6 => format!("{:.3} µs", s * 1e6),
        Value::Seconds(s) => format!("{:.1} ns", s * 1e9),
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
