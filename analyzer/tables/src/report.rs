//! The result of a command: facts, warnings and tables.

use super::fact::Fact;
use super::table::Sheet;

pub struct Report {
    /// Facts about the run, in the order in which they are shown.
    pub facts: Vec<Fact>,
    /// Warnings without which a reader would take the figures wrong.
    pub warnings: Vec<String>,
    pub tables: Vec<Sheet>,
}

impl Report {
    /// The table that CSV and Parquet get: the one marked as asked for, else the first.
    pub fn asked(&self) -> Option<&Sheet> {
        self.tables.iter().find(|table| table.look.is_asked).or(self.tables.first())
    }
}
