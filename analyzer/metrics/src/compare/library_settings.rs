//! Settings of the MPI library that differ between the two sides.

use traces::definitions::Variable;

use super::joined::Side;
use crate::settings::UNSEEN;
use tables::{Column, Fact, Row, Table, Value, facts};

facts! {
    OTHERWISE = "library_settings", Text, sometimes,
        "What the MPI library was set to in all runs of B instead of what it was in all runs of A, in words: by default, or by files.";
}

/// A parameter of the MPI library that both sides have, with other values.
pub struct OtherSettingRow {
    name: String,
    a: String,
    b: String,
    from_a: String,
    from_b: String,
}

impl Row for OtherSettingRow {
    const TABLE: &'static str = "library_settings";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("name", "setting", |row: &Self| row.name.clone()).means("A parameter of the MPI library."),
            Column::text("a", "A", |row: &Self| row.a.clone()).means("What it was set to in all runs of A."),
            Column::text("b", "B", |row: &Self| row.b.clone()).means("What it was set to in all runs of B."),
            Column::text("from_a", "A's from", |row: &Self| row.from_a.clone())
                .spare(1)
                .silent_empty()
                .means("Where A's value is from; empty for the library's default."),
            Column::text("from_b", "B's from", |row: &Self| row.from_b.clone())
                .spare(1)
                .silent_empty()
                .means("Where B's value is from; empty for the library's default."),
        ]
    }
}

/// Rows that people are shown: two versions of a library have a hundred other defaults.
const MOST: usize = 12;

/// The parameters that differ, those that somebody set first.
pub fn table(a: &Side, b: &Side) -> Table<OtherSettingRow> {
    let rows = others(a, b);
    let is_empty = rows.is_empty();
    let table = Table::new("settings of the MPI library that differ", rows).most(MOST);
    if is_empty { table.for_programs() } else { table }
}

fn others(a: &Side, b: &Side) -> Vec<OtherSettingRow> {
    let (Some(first), Some(other)) = (a.first(), b.first()) else { return Vec::new() };
    let have = |side: &Side, one: &Variable| {
        side.iter().all(|run| of(&run.variables, &one.name).is_some_and(|of| of.value == one.value))
    };
    let mut rows = Vec::new();
    for in_a in &first.variables {
        let Some(in_b) = of(&other.variables, &in_a.name).filter(|in_b| in_b.value != in_a.value) else { continue };
        // What differs between runs of one side is no setting of it.
        if have(a, in_a) && have(b, in_b) {
            rows.push(OtherSettingRow {
                name: in_a.name.clone(),
                a: in_a.value.clone(),
                b: in_b.value.clone(),
                from_a: in_a.from.clone(),
                from_b: in_b.from.clone(),
            });
        }
    }
    rows.sort_by_key(|row| row.from_a.is_empty() && row.from_b.is_empty());
    rows
}

fn of<'v>(variables: &'v [Variable], name: &str) -> Option<&'v Variable> {
    variables.iter().find(|one| one.name == name)
}

/// Parameters that the line above the tables names.
const SHOWN: usize = 3;

/// The parameters that differ, but for those that are set by variables of the environment, which have a line of their own.
pub fn fact(a: &Side, b: &Side) -> Option<Fact> {
    let is_told = |row: &OtherSettingRow| row.from_a == "environment" || row.from_b == "environment";
    let rows: Vec<OtherSettingRow> = others(a, b).into_iter().filter(|row| !is_told(row)).collect();
    let in_words = |row: &OtherSettingRow| {
        let file = [&row.from_b, &row.from_a].into_iter().find(|from| from.contains('/'));
        let of_file = file.map_or(String::new(), |file| format!(" ({file})"));
        format!("{}={} instead of {}{of_file}", row.name, said(&row.b), said(&row.a))
    };
    let shown: Vec<String> = rows.iter().take(SHOWN).map(in_words).collect();
    let more = match rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("; {more} more below"),
    };
    (!shown.is_empty()).then(|| Fact::new(OTHERWISE, "library", Value::Text(shown.join("; ") + &more)))
}

fn said(value: &str) -> &str {
    if value.is_empty() { "nothing" } else { value }
}

/// The note on settings that are in no trace.
pub fn unseen(a: &Side, b: &Side) -> String {
    if a.iter().chain(b).all(|run| !run.variables.is_empty()) {
        return format!("of settings, {UNSEEN} are not compared");
    }
    "of settings, only environment variables are compared: at least one run does not say what its MPI library was set to".into()
}
