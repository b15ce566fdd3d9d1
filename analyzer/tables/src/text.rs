//! A report as text for people: facts, tables and warnings for a terminal of 80 columns.

use std::io::{self, IsTerminal, Write};

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, presets};

use super::scale::Scale;

use crate::Report;
use crate::column::ColumnHead;
use crate::table::Sheet;
use crate::unit::Unit;
use crate::value::Value;
use crate::visible::{visible, width};
use crate::wrapping::{UNITS, wrap_to};

/// The width of output into a file, and the least that a terminal is assumed to have.
const WIDTH: usize = 80;

pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let shown = || report.facts.iter().filter(|fact| !fact.heading.is_empty());
    let longest = shown().map(|fact| width(fact.heading)).max().unwrap_or(0);
    for fact in shown() {
        let line = format!("{:longest$}  {}", fact.heading, fact);
        writeln!(out, "{}", wrap(&line, longest + 2))?;
    }
    for (at, table) in report.tables.iter().enumerate() {
        if at > 0 || longest > 0 {
            writeln!(out)?;
        }
        if !table.look.title.is_empty() {
            writeln!(out, "{}", wrap(&table.look.title, 0))?;
        }
        print_table(table, out)?;
    }
    if !report.warnings.is_empty() && (longest > 0 || !report.tables.is_empty()) {
        writeln!(out)?;
    }
    for warning in &report.warnings {
        writeln!(out, "{}", wrap(&format!("! {warning}"), 2))?;
    }
    Ok(())
}

fn print_table(table: &Sheet, out: &mut impl Write) -> io::Result<()> {
    if table.rows.is_empty() {
        return writeln!(out, "  (nothing)");
    }
    // A terminal would break lines anywhere; a file may have long lines.
    lines(table, io::stdout().is_terminal()).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The indices of the columns that are shown.
pub fn shown(table: &Sheet) -> Vec<usize> {
    fitting(table, &columns(table), terminal_width())
}

/// Headings and rows, one line each unless cells are broken to fit the terminal.
pub fn lines(table: &Sheet, breaks: bool) -> Vec<String> {
    let (columns, room) = (columns(table), terminal_width());
    let shown = fitting(table, &columns, room);
    let mut printed = comfy_table::Table::new();
    printed.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if breaks && needed(&shown, &columns) > room {
        printed.set_content_arrangement(ContentArrangement::Dynamic).set_width(room as u16);
    }
    printed.set_header(shown.iter().map(|at| &columns[*at].heading));
    for row in 0..table.rows.len() {
        printed.add_row(shown.iter().map(|at| &columns[*at].cells[row]));
    }
    for (place, at) in shown.iter().enumerate() {
        let Some(column) = printed.column_mut(place) else { continue };
        let is_name = table.columns[*at].unit == Unit::Text;
        column.set_cell_alignment(if is_name { CellAlignment::Left } else { CellAlignment::Right });
        column.set_padding((if place == 0 { 0 } else { 1 }, 1));
        if !is_name {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    printed.lines().map(|line| line.trim_end().to_string()).collect()
}

/// A column as text.
struct Printed {
    heading: String,
    cells: Vec<String>,
    /// The width of the heading or the widest cell.
    width: usize,
}

/// All columns as text. The times of a table share one unit; those of single calls share another.
fn columns(table: &Sheet) -> Vec<Printed> {
    let [all, each] = [false, true].map(|is_each| Scale::of(longest(table, is_each)));
    let is_named = table.columns.iter().any(|column| column.heading.contains(UNIT));
    let column = |(at, column): (usize, &ColumnHead)| {
        let scale = if column.is_each { each } else { all };
        let has_times = column.unit == Unit::Seconds && table.rows.iter().any(|row| row[at] != Value::None);
        let heading = if column.heading.contains(UNIT) {
            column.heading.replace(UNIT, all.unit)
        } else if has_times && !is_named {
            format!("{} {}", column.heading, scale.unit)
        } else {
            column.heading.to_string()
        };
        let cell = |row: &Vec<Value>| match &row[at] {
            Value::Seconds(seconds) => {
                let error = table.error(at, row);
                error.map_or(scale, |error| scale.known_to(error)).number(*seconds)
            }
            // In a table with figures of several units in a column, the label of each row names the unit.
            Value::Label(_) => {
                let mut by_row = table.columns.iter().zip(row).filter(|(column, _)| column.unit == Unit::ByRow);
                let unit = by_row.find_map(|(_, value)| unit(value, all));
                format!("{}{}", row[at], unit.map_or(String::new(), |unit| format!(", {unit}")))
            }
            value => visible(&value.to_string()).into_owned(),
        };
        let heading = visible(heading.trim_start()).into_owned();
        let mut cells: Vec<String> = table.rows.iter().map(cell).collect();
        if column.unit.has_decimals() {
            align_points(&mut cells);
        }
        let width = cells.iter().map(|text| width(text)).fold(width(&heading), usize::max);
        Printed { heading, cells, width }
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Puts the points of figures below each other, by spaces after those with fewer decimals.
fn align_points(cells: &mut [String]) {
    let behind = |cell: &String| cell.find('.').map_or(0, |point| cell.len() - point);
    let most = cells.iter().map(behind).max().unwrap_or(0);
    let is_measured = |cell: &&mut String| cell.as_str() != "0" && cell.ends_with(|last: char| last.is_ascii_digit());
    for cell in cells.iter_mut().filter(is_measured) {
        let spaces = most - behind(cell);
        cell.extend(std::iter::repeat_n(' ', spaces));
    }
}

/// The placeholder for the unit of a table's times in a heading.
const UNIT: &str = "{unit}";

/// True if text prints the heading as `asked`, whatever the unit, or if `asked` leaves the unit out.
pub fn is_heading(asked: &str, heading: &str) -> bool {
    let is_with = |unit: &&str| asked == heading.replace(UNIT, unit) || asked == format!("{heading} {unit}");
    !heading.is_empty() && (asked == heading.replace(UNIT, "").trim() || UNITS.iter().chain(&["us"]).any(is_with))
}

/// The longest time in the shown columns, either of single calls or of all others.
fn longest(table: &Sheet, is_each: bool) -> f64 {
    let shown = |column: &ColumnHead| !column.heading.is_empty() && column.is_each == is_each;
    let values = table.rows.iter().flat_map(|row| table.columns.iter().zip(row));
    let times = values.filter(|(column, _)| shown(column)).filter_map(|(_, value)| value.seconds());
    times.fold(0.0, |longest, time| time.abs().max(longest))
}

/// The unit of a figure whose own text does not name it.
fn unit(value: &Value, scale: Scale) -> Option<&'static str> {
    match value {
        Value::Seconds(_) => Some(scale.unit),
        Value::Percent(_) => Some("%"),
        _ => None,
    }
}

/// The indices of the columns that are shown, as many as there is room for.
fn fitting(table: &Sheet, columns: &[Printed], room: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..table.columns.len()).filter(|at| table.is_shown(*at)).collect();
    while needed(&shown, columns) > room {
        let spare = shown.iter().map(|at| table.columns[*at].spare).max().unwrap_or(0);
        if spare == 0 {
            break;
        }
        shown.retain(|at| table.columns[*at].spare < spare);
    }
    shown
}

/// The width of a line with these columns, two spaces apart.
fn needed(shown: &[usize], columns: &[Printed]) -> usize {
    shown.iter().map(|at| columns[*at].width + 2).sum::<usize>().saturating_sub(2)
}

fn terminal_width() -> usize {
    if io::stdout().is_terminal() { crate::terminal::width().max(WIDTH) } else { WIDTH }
}

/// Like [`wrap_to`], for lines as wide as stdout.
pub fn wrap(line: &str, indent: usize) -> String {
    wrap_to(line, indent, terminal_width())
}
