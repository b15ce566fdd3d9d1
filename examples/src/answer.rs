//! Reads an analysis's JSON by table and column name. An unknown name ends the test, so no sum runs over rows that do
//! not exist.

use std::process::Command;

use serde_json::Value;

use crate::command::finish;

/// Table of wait states, and the column that names the state there and in the table of who waited for whom.
pub const WAIT_STATES: &str = "wait_states";
pub const WAIT_STATE: &str = "wait_state";

#[derive(Debug)]
pub struct Answer {
    pub status: i32,
    pub json: Value,
}

impl Answer {
    /// Runs an analysis and reads its JSON. Panics if it prints something else.
    pub fn of(analysis: &mut Command) -> Answer {
        let output = finish(analysis.args(["--format", "json"]));
        let json = serde_json::from_str(&output.stdout);
        Answer { status: output.status, json: json.unwrap_or_else(|error| panic!("{analysis:?}: {error}: {output:?}")) }
    }

    pub fn rows(&self, table: &str) -> &[Value] {
        self.json[table].as_array().unwrap_or_else(|| panic!("no table {table} in {:#}", self.json))
    }

    /// Rows with these values in these columns.
    pub fn matching(&self, table: &str, values: &[(&str, Value)]) -> Vec<&Value> {
        let matches = |row: &&Value| values.iter().all(|(column, value)| row[*column] == *value);
        self.rows(table).iter().filter(matches).collect()
    }

    /// Sums a column of whole numbers over the rows with these values in other columns; nulls are skipped.
    pub fn sum(&self, table: &str, column: &str, values: &[(&str, Value)]) -> u64 {
        self.matching(table, values).into_iter().filter(|row| is_known(row, column)).map(|row| whole(row, column)).sum()
    }

    /// Sums a column of fractional numbers, as [`Answer::sum`] does.
    pub fn total(&self, table: &str, column: &str, values: &[(&str, Value)]) -> f64 {
        self.matching(table, values)
            .into_iter()
            .filter(|row| is_known(row, column))
            .map(|row| number(row, column))
            .sum()
    }

    /// A figure of the `run` table.
    pub fn fact(&self, name: &str) -> f64 {
        number(&self.json["run"], name)
    }

    pub fn warnings(&self) -> String {
        self.rows("warnings").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// False if the figure is null, as are those that cannot be seen. Panics if there is no such column.
fn is_known(row: &Value, column: &str) -> bool {
    !row.get(column).unwrap_or_else(|| panic!("no column {column} in {row}")).is_null()
}

/// Panics if the row has no number of this name.
pub fn number(row: &Value, column: &str) -> f64 {
    row[column].as_f64().unwrap_or_else(|| panic!("no number {column} in {row}"))
}

/// Panics if the row has no whole number of this name.
pub fn whole(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no whole number {column} in {row}"))
}
