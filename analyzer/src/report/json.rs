//! A report for programs: one JSON object, with a version and units in the names.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::visible::is_hidden;
use super::{Report, Value};

/// Changes when a name changes its meaning or goes; names may be added.
const SCHEMA: u32 = 1;

/// Prints the report.
pub fn print(report: &Report, name: &str, out: &mut impl Write) -> io::Result<()> {
    let mut object = Map::new();
    object.insert("schema".into(), json!(format!("overhear-{name}/{SCHEMA}")));
    let facts: Map<_, _> = report.facts.iter().map(|fact| (fact.key.to_string(), value(&fact.value))).collect();
    object.insert("run".into(), Json::Object(facts));
    for table in &report.tables {
        let row = |row: &Vec<Value>| -> Json {
            let pairs = table.columns.iter().zip(row).map(|(column, v)| (column.key.clone(), value(v)));
            Json::Object(pairs.collect())
        };
        object.insert(table.name.into(), Json::Array(table.rows.iter().map(row).collect()));
    }
    object.insert("warnings".into(), json!(report.warnings));
    writeln!(out, "{}", escaped(&serde_json::to_string_pretty(&Json::Object(object))?))
}

/// The same JSON with hidden characters as JSON's own escapes: outside strings there are none but the ends of lines.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_hidden = |character: char| character != '\n' && is_hidden(character);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| match is_hidden(character) {
        true => character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => character.to_string(),
    };
    text.chars().map(escape).collect::<String>().into()
}

fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Label(key, ..) => json!(key),
        Value::Count(number) | Value::Number(number) | Value::Bytes(number) => json!(number),
        Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => json!(number),
        Value::None => Json::Null,
    }
}
