//! A page with a timeline only. It opens from disk: modules are inside, and data that does not fit lies beside it in
//! scripts.

use maud::html;
use serde_json::{Map, Value};

use crate::{module_url, palette};
use tables::visible::visible;

/// Modules, by the names they import each other by.
const MODULES: &[(&str, &str)] = &[
    ("#timeline", include_str!("../../page/timeline/timeline.js")),
    ("#timeline-decode", include_str!("../../page/timeline/decode.js")),
    ("#timeline-store", include_str!("../../page/timeline/store.js")),
    ("#timeline-sums", include_str!("../../page/timeline/sums.js")),
    ("#timeline-view", include_str!("../../page/timeline/view.js")),
    ("#timeline-scene", include_str!("../../page/timeline/scene.js")),
    ("#timeline-row-order", include_str!("../../page/timeline/row_order.js")),
    ("#timeline-rows", include_str!("../../page/timeline/rows.js")),
    ("#timeline-shares", include_str!("../../page/timeline/shares.js")),
    ("#timeline-call-shares", include_str!("../../page/timeline/call_shares.js")),
    ("#timeline-legend", include_str!("../../page/timeline/legend.js")),
    ("#timeline-hover", include_str!("../../page/timeline/hover.js")),
    ("#timeline-axis", include_str!("../../page/timeline/axis.js")),
    ("#timeline-input", include_str!("../../page/timeline/input.js")),
    ("#timeline-find", include_str!("../../page/timeline/find.js")),
    ("#timeline-facts", include_str!("../../page/timeline/facts.js")),
    ("#timeline-durations", include_str!("../../page/timeline/durations.js")),
    ("#timeline-pattern", include_str!("../../page/timeline/pattern.js")),
    ("#timeline-format", include_str!("../../page/timeline/format.js")),
];

const TEMPLATE: &str = include_str!("../../page/timeline/page.html");

pub fn style() -> String {
    format!("{}{}", palette::css(), include_str!("../../page/timeline/timeline.css"))
}

/// Import map: `data:` URLs of the modules by name.
pub fn imports() -> Map<String, Value> {
    let url = |(name, text): &(&str, &str)| ((*name).to_string(), Value::String(module_url(text)));
    MODULES.iter().map(url).collect()
}

/// A page with this title and data, which [`PageData::script`](super::PageData::script) made.
pub fn page(title: &str, data: &str) -> String {
    let title_text = html! { (visible(title)) }.into_string();
    let imports = Value::Object(Map::from_iter([("imports".to_string(), Value::Object(imports()))]));
    // Parts in the template's order: text that is filled in is not searched for placeholders.
    let parts = [title_text.as_str(), &style(), &imports.to_string(), data];
    let mut pieces = TEMPLATE.split("<!--HERE-->");
    let mut page: String = pieces.next().unwrap_or_default().into();
    for (part, piece) in parts.iter().zip(pieces) {
        page.push_str(part);
        page.push_str(piece);
    }
    page
}

/// A script beside a page that hands over one of its parts.
pub fn part(name: &str, data: &str) -> String {
    format!("overhearTimelinePart({}, \"{data}\");\n", Value::String(name.into()))
}
