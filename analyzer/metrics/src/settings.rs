//! What MPI, its network and threads were set to, and by whom.

use traces::definitions::Variable;
use traces::mpi_settings::is_of_launch;

use model::Run;
use tables::{Column, Row, Table};

/// Settings that are in no trace.
pub const UNSEEN: &str = "those of info objects, and what MPI_T set after MPI_Init,";

/// A setting, of the first rank.
pub struct SettingRow {
    name: String,
    value: String,
    from: String,
}

impl Row for SettingRow {
    const TABLE: &'static str = "settings";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("name", "setting", |row: &Self| row.name.clone())
                .means("A parameter of the MPI library, or a variable of the environment."),
            Column::text("value", "value", |row: &Self| row.value.clone()).means("What it was set to when MPI_Init returned."),
            Column::text("from", "from", |row: &Self| row.from.clone()).means(
                "Where the value is from: a file with its line, the environment, or what else the library calls it; empty for the library's default.",
            ),
        ]
    }
}

/// What the MPI library was set to, without what launchers set for each process; empty if it was not recorded.
pub fn variables(run: &Run) -> &[Variable] {
    run.ranks.iter().map(|rank| rank.variables.as_slice()).find(|variables| !variables.is_empty()).unwrap_or_default()
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
            rows.push(SettingRow { name: name.into(), value: value.into(), from: "environment".into() });
        }
    }
    for Variable { name, value, from } in variables.iter().filter(|one| !is_of_launch(&one.name)).cloned() {
        rows.push(SettingRow { name, value, from });
    }
    rows.sort_by_key(|row| row.from.is_empty());
    Table::new("settings, those that are no defaults first", rows)
}
