//! Rules by which tables follow the timeline, as JSON for `page/part.js`: a figure is an addend's name, a number, or a
//! list of an operation and its operands.

use serde_json::{Value as Json, json};

use tables::part::{PartFigure, PartName, PartRows, PartRule, PartTable};

/// A table's rows, their order, and the rows it omits.
pub fn table(table: &PartTable) -> Json {
    let (kind, first, fixed) = match &table.rows {
        PartRows::Ranks => ("ranks", Json::Null, Json::Null),
        PartRows::Calls => ("calls", Json::Null, Json::Null),
        PartRows::CallsBehind(name, addend, of) => {
            ("calls", json!({ "name": name, "addend": addend.name(), "figure": figure(of) }), Json::Null)
        }
        PartRows::Waits => ("waits", Json::Null, Json::Null),
        PartRows::Messages => ("messages", Json::Null, Json::Null),
        PartRows::Fixed(figures) => {
            let figures: Vec<Json> = figures.iter().map(|of_row| of_row.as_ref().map_or(Json::Null, figure)).collect();
            ("fixed", Json::Null, Json::Array(figures))
        }
    };
    json!({
        "rows": kind, "first": first, "fixed": fixed, "order": table.order, "only": table.only, "leftOut": table.left_out,
    })
}

/// Rule of a column.
pub fn column(rule: &PartRule) -> Json {
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
