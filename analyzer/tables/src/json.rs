//! A report as one JSON object, with a version and with units in the names.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::Report;
use crate::scalar::Scalar;
use crate::value::Value;
use crate::visible::is_hidden;

/// The version of the format. It changes if a name changes its meaning or goes; adding names does not change it.
const VERSION: u32 = 2;

/// The name and version of the schema that a command's JSON gives.
pub fn schema_name(command: &str) -> String {
    // Programs compare this name, so it stayed when `overhear model` became `overhear network`.
    let name = if command == "network" { "model" } else { command };
    format!("overhear-{name}/{VERSION}")
}

pub fn print(report: &Report, name: &str, out: &mut impl Write) -> io::Result<()> {
    let mut object = Map::new();
    object.insert("schema".into(), json!(schema_name(name)));
    let facts = report.facts.iter().map(|fact| (fact.key.name.to_string(), json(fact.value.scalar())));
    object.insert("run".into(), Json::Object(facts.collect()));
    for table in &report.tables {
        let fields = table.fields();
        let keys = || fields.iter().map(|field| field.key.clone());
        let row = |row: &Vec<Value>| Json::Object(keys().zip(table.scalars(row).into_iter().map(json)).collect());
        object.insert(table.look.name.into(), Json::Array(table.rows.iter().map(row).collect()));
    }
    object.insert("warnings".into(), json!(report.warnings));
    writeln!(out, "{}", escaped(&serde_json::to_string_pretty(&Json::Object(object))?))
}

fn json(scalar: Scalar) -> Json {
    match scalar {
        Scalar::Text(text) => json!(text),
        Scalar::Whole(number) => json!(number),
        Scalar::Real(number) => json!(number),
        Scalar::Null => Json::Null,
    }
}

/// The JSON with hidden characters as JSON's own escapes. Outside strings, only line ends are hidden characters.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_hidden = |character: char| character != '\n' && is_hidden(character);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| {
        if is_hidden(character) {
            character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect::<String>().into()
}
