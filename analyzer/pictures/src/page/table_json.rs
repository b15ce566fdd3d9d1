//! Tables of a page as JSON for its modules: `{"waits": [{"name", "title", "columns", "rows", "more"}, ...], ...}`.
//!
//! A value is a number (seconds, bytes or percent, as its column's unit says), a text, or null. Values with more to say
//! are lists: a rank of a spawned world `[rank, world]`, one of our own names `[depth, name]`, a figure with a unit of
//! its own `[unit, number]`.
//!
//! Rules by which tables follow the timeline, as JSON for `page/part.js`: a figure is an addend's name, a number, or a
//! list of an operation and its operands.

use serde_json::{Map, Value as Json, json};

use super::PageSection;
use crate::timeline::rank_json;
use metrics::heat::HeatRow;
use metrics::paths::{FramePairRow, FrameRow};
use tables::part::{PartFigure, PartName, PartRows, PartRule, PartTable};
use tables::visible::visible;
use tables::{ColumnHead, Format, Row, Sheet, Unit, Value};

/// Rows per table, which keep a page below 5 MiB whatever the run. The page gives the number of omitted rows.
pub const ROWS: usize = 1024;

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
    let is_picture = [HeatRow::TABLE, FrameRow::TABLE, FramePairRow::TABLE].contains(&sheet.look.name);
    let most = if is_picture { usize::MAX } else { ROWS };
    let row = |row: &Vec<Value>| Json::Array(shown.iter().map(|column| cell(column, row)).collect());
    json!({
        "name": sheet.look.name,
        "title": sheet.look.title,
        "whole": sheet.look.is_whole,
        "columns": shown.iter().map(|(_, head)| column(head)).collect::<Vec<_>>(),
        "rows": sheet.rows.iter().take(most).map(row).collect::<Vec<_>>(),
        "more": sheet.rows.len().saturating_sub(most),
        "part": sheet.look.part.as_ref().map(rows_of_part),
    })
}

fn column(head: &ColumnHead) -> Json {
    json!({
        "key": head.key,
        "heading": visible(&head.heading),
        "unit": name(head.unit),
        "each": head.is_each,
        "meaning": head.meaning,
        "part": head.part.as_ref().map(rule_json),
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

/// A table's rows, their order, and the rows it omits.
fn rows_of_part(table: &PartTable) -> Json {
    let (kind, first, fixed) = match &table.rows {
        PartRows::Ranks => ("ranks", Json::Null, Json::Null),
        PartRows::Calls => ("calls", Json::Null, Json::Null),
        PartRows::CallsBehind(name, addend, of) => {
            ("calls", json!({ "name": name, "addend": addend.name(), "figure": figure(of) }), Json::Null)
        }
        PartRows::Waits => ("waits", Json::Null, Json::Null),
        PartRows::Messages => ("messages", Json::Null, Json::Null),
        PartRows::Paths => ("paths", Json::Null, Json::Null),
        PartRows::Fixed(figures) => {
            let figures: Vec<Json> = figures.iter().map(|of_row| of_row.as_ref().map_or(Json::Null, figure)).collect();
            ("fixed", Json::Null, Json::Array(figures))
        }
    };
    json!({
        "rows": kind, "first": first, "fixed": fixed, "order": table.order, "only": table.only, "leftOut": table.left_out,
    })
}

fn rule_json(rule: &PartRule) -> Json {
    match rule {
        PartRule::Name(name) => {
            let (list, number, field) = place(*name);
            let is_needed = *name == PartName::Size;
            json!({ "name": { "list": list, "number": number, "field": field, "isNeeded": is_needed } })
        }
        PartRule::Figure(of) => json!({ "figure": figure(of) }),
        PartRule::RankWithMost(of) => json!({ "rankWithMost": figure(of) }),
        PartRule::RankWithLeast(of) => json!({ "rankWithLeast": figure(of) }),
        PartRule::Kept => json!({ "kept": true }),
        PartRule::OfRow => json!({ "ofRow": true }),
    }
}

/// The list in the timeline's data, the field of a record that indexes it, and the field of the entry.
fn place(name: PartName) -> (&'static str, &'static str, Option<&'static str>) {
    match name {
        PartName::Function => ("functions", "fn", Some("name")),
        PartName::Site => ("site_names", "site", None),
        PartName::SiteInShort => ("sites", "site", None),
        PartName::Size => ("sizes", "size", None),
        PartName::WaitState => ("states", "state", None),
        PartName::Rank => ("names", "rank", Some("rank")),
        PartName::Sender => ("names", "from", Some("rank")),
        PartName::Receiver => ("names", "to", Some("rank")),
        PartName::CauseRank => ("names", "cause", Some("rank")),
        PartName::CauseFunction => ("places", "place", Some("function")),
        PartName::CauseSite => ("places", "place", Some("site")),
    }
}

fn figure(of: &PartFigure) -> Json {
    let one = |name, of: &PartFigure| json!([name, figure(of)]);
    let two = |name, of: &[PartFigure; 2]| json!([name, figure(&of[0]), figure(&of[1])]);
    match of {
        PartFigure::Added(addend) => json!(addend.name()),
        PartFigure::AddedWhere(addend, attribute, value) => json!(["where", addend.name(), attribute, value]),
        PartFigure::Number(number) => json!(number),
        PartFigure::Whole(of) => one("whole", of),
        PartFigure::Sum(of) => one("sum", of),
        PartFigure::Most(of) => one("most", of),
        PartFigure::Least(of) => one("least", of),
        PartFigure::Positive(of) => one("positive", of),
        PartFigure::Plus(all) => Json::Array([json!("plus")].into_iter().chain(all.iter().map(figure)).collect()),
        PartFigure::Rest(of) => two("rest", of),
        PartFigure::Lesser(of) => two("lesser", of),
        PartFigure::Times(of) => two("times", of),
        PartFigure::Over(of) => two("over", of),
    }
}
