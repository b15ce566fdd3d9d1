//! What a command prints.

use super::fact::Fact;
use super::table::Sheet;

/// What a command found out about a run.
pub struct Report {
    /// What it is of, in the order to be shown.
    pub facts: Vec<Fact>,
    /// What a reader has to know to read the figures right.
    pub warnings: Vec<String>,
    /// The figures.
    pub tables: Vec<Sheet>,
}

impl Report {
    /// The table that spreadsheets and data frames get.
    pub fn asked(&self) -> Option<&Sheet> {
        self.tables.iter().find(|table| table.look.is_asked).or(self.tables.first())
    }
}
