//! The settings of MPI, its network and its threads, and who made each.

use traces::definitions::Variable;
use traces::mpi_settings::is_of_launch;

use model::Run;
use tables::{Column, Row, Table};

/// Settings that are in no trace.
pub const UNSEEN: &str = "those of info objects, and what MPI_T set after MPI_Init,";

/// A setting of the first rank: the library's, or a variable of the environment.
pub struct SettingRow(Variable);

impl Row for SettingRow {
    const TABLE: &'static str = "settings";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("name", "setting", |row: &Self| row.0.name.clone())
                .means("A parameter of the MPI library, or a variable of the environment."),
            Column::text("value", "value", |row: &Self| row.0.value.clone()).means("What it was set to when MPI_Init returned."),
            Column::text("from", "from", |row: &Self| row.0.from.clone()).means(
                "Where the value is from: a file with its line, the environment, or what else the library calls it; empty for the library's default.",
            ),
        ]
    }
}

/// The settings of the MPI library, without those that launchers make for each process; empty if they were not recorded.
pub fn variables(run: &Run) -> Vec<Variable> {
    let recorded = run.ranks.iter().map(|rank| &rank.variables).find(|variables| !variables.is_empty());
    recorded.into_iter().flatten().filter(|one| !is_of_launch(&one.name)).cloned().collect()
}

/// All settings, those that are not the library's defaults first.
pub fn table(run: &Run) -> Table<SettingRow> {
    let variables = variables(run);
    let mut rows = Vec::new();
    for setting in &run.first().settings {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        // The library says it, too.
        let parameter = name.strip_prefix("OMPI_MCA_").unwrap_or(name);
        if variables.iter().all(|variable| variable.name != parameter) {
            rows.push(SettingRow(Variable { name: name.into(), value: value.into(), from: "environment".into() }));
        }
    }
    rows.extend(variables.into_iter().map(SettingRow));
    rows.sort_by_key(|row| row.0.from.is_empty());
    Table::new("settings, those that are no defaults first", rows)
}
