//! Rows in the order and the number that was asked for: the same for every table and every format.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::str::FromStr;

use super::{Column, Report, Table, Value};
use crate::error::Error;

/// How many rows of a table to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Top(pub usize);

impl FromStr for Top {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Top, Self::Err> {
        match text {
            "all" => Ok(Top(usize::MAX)),
            text => text.parse().map(Top).map_err(|_| "it is a number of rows, or all"),
        }
    }
}

impl Report {
    /// Sorts tables by a column, and cuts them: to so many rows, or else to what people are shown.
    pub fn arrange(&mut self, sort: Option<&str>, top: Option<Top>, for_people: bool) -> Result<(), Error> {
        if let Some(asked) = sort {
            self.sort(asked)?;
        }
        for table in self.tables.iter_mut().filter(|table| !table.is_whole) {
            let most = top.map_or(if for_people { table.most } else { usize::MAX }, |top| top.0);
            let more = table.rows.len().saturating_sub(most);
            table.rows.truncate(most);
            if more > 0 && top.is_none() {
                let plural = if more == 1 { "" } else { "s" };
                self.warnings.insert(0, format!("{more} more row{plural} of {}: --top all", table.name));
            }
        }
        Ok(())
    }

    /// Sorts all tables that have the column: names and ranks upwards, all else downwards, and what is unknown last.
    fn sort(&mut self, asked: &str) -> Result<(), Error> {
        let mut names = BTreeSet::new();
        let mut is_there = false;
        for table in self.tables.iter_mut().filter(|table| !table.is_whole) {
            names.extend(table.columns.iter().map(|column| column.key.clone()));
            if let Some(at) = place(&table.columns, asked) {
                table.rows.sort_by(|a, b| order(&a[at], &b[at]));
                is_there = true;
            }
        }
        if is_there { Ok(()) } else { Err(Error::no_column(asked, names)) }
    }
}

/// The column that is meant: by its name in structured output with or without unit, or by its heading.
fn place(columns: &[Column], asked: &str) -> Option<usize> {
    let find = |is_meant: &dyn Fn(&Column) -> bool| columns.iter().position(is_meant);
    let bare = |key: &str| key.rsplit_once('_').is_some_and(|(bare, unit)| bare == asked && UNITS.contains(&unit));
    find(&|column| column.key == asked)
        .or_else(|| find(&|column| column.heading == asked))
        .or_else(|| find(&|column| bare(&column.key)))
}

/// What keys of columns end in.
const UNITS: [&str; 3] = ["s", "percent", "bytes"];

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::None, Value::None) => Ordering::Equal,
        (Value::None, _) => Ordering::Greater,
        (_, Value::None) => Ordering::Less,
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            // Ranks of spawned worlds are names.
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => super::text::one(a).cmp(&super::text::one(b)),
        },
    }
}

impl Value {
    /// What it is as a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Some(*number as f64),
            Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => Some(*number),
            Value::Text(_) | Value::Label(..) | Value::None => None,
        }
    }
}

impl Table {
    /// The longest of times in columns of one kind.
    pub(super) fn longest(&self, is_each: bool) -> f64 {
        let shown = |at: &usize| !self.columns[*at].heading.is_empty() && self.columns[*at].is_each == is_each;
        let columns: Vec<usize> = (0..self.columns.len()).filter(shown).collect();
        let times = self.rows.iter().flat_map(|row| columns.iter().filter_map(|at| row[*at].seconds()));
        times.fold(0.0, |longest, time| time.abs().max(longest))
    }
}

impl Value {
    /// What it is as a time.
    pub(super) fn seconds(&self) -> Option<f64> {
        if let Value::Seconds(seconds) = self { Some(*seconds) } else { None }
    }
}
