//! A report as one JSON object, with a version and with units in the names.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value as Json, json};

use crate::Report;
use crate::scalar::Scalar;
use crate::table::Sheet;
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
    let text = serde_json::to_string_pretty(&ReportJson { report, name })?;
    writeln!(out, "{}", escaped(&text))
}

/// A report as it is written. As one value, the rows of a run of many ranks would take gigabytes.
struct ReportJson<'a> {
    report: &'a Report,
    name: &'a str,
}

impl Serialize for ReportJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Report { facts, tables, warnings } = self.report;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("schema", &schema_name(self.name))?;
        let facts = facts.iter().map(|fact| (fact.key.name.to_string(), json(fact.value.scalar())));
        object.serialize_entry("run", &Json::Object(facts.collect()))?;
        for table in tables {
            object.serialize_entry(table.look.name, &RowsJson(table))?;
        }
        object.serialize_entry("warnings", warnings)?;
        object.end()
    }
}

struct RowsJson<'a>(&'a Sheet);

impl Serialize for RowsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.fields();
        serializer.collect_seq(self.0.rows.iter().map(|row| {
            let values = fields.iter().map(|field| field.key.as_str()).zip(self.0.scalars(row).into_iter().map(json));
            RowJson(values.collect())
        }))
    }
}

struct RowJson<'a>(Vec<(&'a str, Json)>);

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (*key, value)))
    }
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
