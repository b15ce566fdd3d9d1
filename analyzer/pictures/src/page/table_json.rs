//! Tables of a page as JSON for its modules: `{"waits": [{"name", "title", "columns", "rows", "more"}, ...], ...}`.
//!
//! A value is a number (seconds, bytes or percent, as its column's unit says), a text, or null. Values with more to say
//! are lists: a rank of a spawned world `[rank, world]`, one of our own names `[depth, name]`, a figure with a unit of
//! its own `[unit, number]`.

use serde_json::{Map, Value as Json, json};

use super::{PageSection, part_rules};
use crate::timeline::rank_json;
use metrics::heat::HeatRow;
use tables::visible::visible;
use tables::{ColumnHead, Format, Row, Sheet, Unit, Value};

/// Rows per table, which keep a page below 5 MiB whatever the run. The page gives the number of omitted rows.
const ROWS: usize = 1024;

/// All tables as the text of a script element, with `<` escaped so that no name can end it.
pub fn json(sections: &[PageSection]) -> String {
    let of_section =
        |section: &PageSection| (section.id.to_string(), Json::Array(sheets(section).map(table).collect()));
    let tables: Map<String, Json> = sections.iter().map(of_section).collect();
    Json::Object(tables).to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028")
}

/// Tables of a section that the page shows.
pub fn sheets(section: &PageSection) -> impl Iterator<Item = &Sheet> {
    section.found.iter().flat_map(|report| &report.tables).filter(|sheet| sheet.is_in(Format::Text))
}

fn table(sheet: &Sheet) -> Json {
    let columns = sheet.columns.iter().enumerate();
    let shown: Vec<(usize, &ColumnHead)> = columns.filter(|(at, _)| sheet.is_shown(*at)).collect();
    let cell = |(at, head): &(usize, &ColumnHead), row: &[Value]| match head.unit {
        Unit::ByRow => json!([row[*at].unit().map(name), value(&row[*at])]),
        _ => value(&row[*at]),
    };
    // A picture is of all its cells, whose number is limited where they are made.
    let most = if sheet.look.name == HeatRow::TABLE { usize::MAX } else { ROWS };
    let row = |row: &Vec<Value>| Json::Array(shown.iter().map(|column| cell(column, row)).collect());
    json!({
        "name": sheet.look.name,
        "title": sheet.look.title,
        "whole": sheet.look.is_whole,
        "columns": shown.iter().map(|(_, head)| column(head)).collect::<Vec<_>>(),
        "rows": sheet.rows.iter().take(most).map(row).collect::<Vec<_>>(),
        "more": sheet.rows.len().saturating_sub(most),
        "part": sheet.look.part.as_ref().map(part_rules::table),
    })
}

fn column(head: &ColumnHead) -> Json {
    json!({
        "key": head.key,
        "heading": visible(&head.heading),
        "unit": name(head.unit),
        "each": head.is_each,
        "meaning": head.meaning,
        "part": head.part.as_ref().map(part_rules::column),
    })
}

/// A unit's name in the modules.
fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Text | Unit::Flag => "text",
        Unit::Count => "count",
        Unit::Number | Unit::Id | Unit::Tag | Unit::Ticks => "number",
        Unit::Rank => "rank",
        Unit::Seconds => "seconds",
        Unit::Bytes => "bytes",
        Unit::Percent => "percent",
        Unit::Ratio => "ratio",
        Unit::ByRow => "by row",
    }
}

fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(visible(text)),
        Value::Label(label) => json!([label.depth, label.name]),
        Value::Count(number) | Value::Number(number) | Value::Bytes(number) => json!(number),
        Value::Rank(rank) => rank_json(*rank),
        // JSON has no NaN or infinity: these become null.
        Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => json!(number),
        Value::None => Json::Null,
    }
}
