//! What an analysis answers as JSON, read by the names of its tables and columns. A name that is not there ends the test: nothing
//! is added up over rows that nobody wrote.

use std::process::Command;

use serde_json::Value;

use crate::command::finish;

/// The table of wait states, and the column that names one, in it and in the table of who waited for whom.
pub const WAIT_STATES: &str = "wait_states";
/// See [`WAIT_STATES`].
pub const WAIT_STATE: &str = "wait_state";

/// A command's answer.
#[derive(Debug)]
pub struct Answer {
    /// The exit status it came with.
    pub status: i32,
    /// What it says.
    pub json: Value,
}

impl Answer {
    /// Runs an analysis and reads what it prints. Panics where that is no JSON.
    pub fn of(analysis: &mut Command) -> Answer {
        let output = finish(analysis.args(["--format", "json"]));
        let json = serde_json::from_str(&output.stdout);
        Answer { status: output.status, json: json.unwrap_or_else(|error| panic!("{analysis:?}: {error}: {output:?}")) }
    }

    /// Rows of a table.
    pub fn rows(&self, table: &str) -> &[Value] {
        self.json[table].as_array().unwrap_or_else(|| panic!("no table {table} in {:#}", self.json))
    }

    /// Rows of a table that have these values in these columns.
    pub fn matching(&self, table: &str, values: &[(&str, Value)]) -> Vec<&Value> {
        let matches = |row: &&Value| values.iter().all(|(column, value)| row[*column] == *value);
        self.rows(table).iter().filter(matches).collect()
    }

    /// The sum of a column of whole numbers, where they are known, over the rows that have these values in these other columns.
    pub fn sum(&self, table: &str, column: &str, values: &[(&str, Value)]) -> u64 {
        self.matching(table, values).into_iter().filter(|row| is_known(row, column)).map(|row| whole(row, column)).sum()
    }

    /// The same of a column of other numbers.
    pub fn total(&self, table: &str, column: &str, values: &[(&str, Value)]) -> f64 {
        self.matching(table, values)
            .into_iter()
            .filter(|row| is_known(row, column))
            .map(|row| number(row, column))
            .sum()
    }

    /// A figure of the whole run.
    pub fn fact(&self, name: &str) -> f64 {
        number(&self.json["run"], name)
    }

    /// All warnings in one text.
    pub fn warnings(&self) -> String {
        self.rows("warnings").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// Whether a row's column holds anything: what cannot be seen is null. Panics where there is no such column.
fn is_known(row: &Value, column: &str) -> bool {
    !row.get(column).unwrap_or_else(|| panic!("no column {column} in {row}")).is_null()
}

/// A number of a row. Panics where it has none of that name.
pub fn number(row: &Value, column: &str) -> f64 {
    row[column].as_f64().unwrap_or_else(|| panic!("no number {column} in {row}"))
}

/// The same of a number that is whole.
pub fn whole(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no whole number {column} in {row}"))
}
