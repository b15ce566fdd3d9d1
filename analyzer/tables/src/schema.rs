//! The JSON Schema of a command's JSON, made from the same columns as the JSON itself.

use serde_json::{Map, Value as Json, json};

use super::json::schema_name;
use super::unit::{ScalarType, Unit};
use crate::column::ColumnHead;
use crate::fact::FactKey;
use crate::scalar::Field;
use crate::table::Row;

/// The key of the facts in the JSON.
const RUN: &str = "run";

pub struct Schema {
    command: &'static str,
    facts: Vec<FactKey>,
    tables: Vec<(&'static str, Vec<Field>)>,
}

/// The meaning of a column or fact, for `overhear explain`.
pub struct ColumnMeaning {
    /// The command, and for a column its table.
    pub place: String,
    pub key: String,
    pub heading: String,
    pub meaning: String,
}

impl Schema {
    /// The schema of a command without facts and tables.
    pub fn of(command: &'static str) -> Schema {
        Schema { command, facts: Vec::new(), tables: Vec::new() }
    }

    pub fn facts(mut self, facts: &[FactKey]) -> Schema {
        self.facts.extend(facts);
        self
    }

    pub fn table<R: Row>(mut self) -> Schema {
        let heads: Vec<ColumnHead> = R::columns().into_iter().map(|column| column.head).collect();
        self.tables.push((R::TABLE, heads.iter().flat_map(ColumnHead::fields).collect()));
        self
    }

    pub fn meanings(&self) -> Vec<ColumnMeaning> {
        let of_fact = |fact: &FactKey| ColumnMeaning {
            place: self.command.into(),
            key: fact.name.into(),
            heading: String::new(),
            meaning: fact.meaning.into(),
        };
        let mut meanings: Vec<ColumnMeaning> = self.facts.iter().map(of_fact).collect();
        for (table, fields) in &self.tables {
            meanings.extend(fields.iter().map(|field| ColumnMeaning {
                place: format!("{} ({table})", self.command),
                key: field.key.clone(),
                heading: field.heading.clone(),
                meaning: field.meaning.clone(),
            }));
        }
        meanings
    }

    pub fn text(&self) -> String {
        format!("{:#}\n", self.json())
    }

    fn json(&self) -> Json {
        let mut properties = Map::new();
        properties.insert("schema".into(), json!({ "const": schema_name(self.command) }));
        properties.insert(RUN.into(), self.run());
        for (name, fields) in &self.tables {
            properties.insert((*name).into(), json!({ "type": "array", "items": row(fields) }));
        }
        properties.insert("warnings".into(), json!({ "type": "array", "items": { "type": "string" } }));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("overhear {} --format json", self.command),
            "type": "object",
            "required": ["schema", "run", "warnings"],
            "properties": properties,
        })
    }

    fn run(&self) -> Json {
        let property = |key: &FactKey| {
            let description = described(key.meaning, key.unit.scalar_type(), key.unit.in_words());
            (key.name.to_string(), property(key.unit.scalar_type(), &description, !key.is_always))
        };
        let required: Vec<&str> = self.facts.iter().filter(|key| key.is_always).map(|key| key.name).collect();
        let properties: Map<_, _> = self.facts.iter().map(property).collect();
        json!({ "type": "object", "required": required, "properties": properties })
    }
}

/// The schema of a table's rows. Every field is required, even if its value may be null.
fn row(fields: &[Field]) -> Json {
    let property_of = |field: &Field| {
        let description = described(&field.meaning, field.of, field.unit);
        (field.key.clone(), property(field.of, &description, field.is_optional))
    };
    let required: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
    let properties: Map<_, _> = fields.iter().map(property_of).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// The meaning, followed by the unit for measured figures.
fn described(meaning: &str, of: ScalarType, unit: &str) -> String {
    if of == ScalarType::Real || unit == Unit::Bytes.in_words() {
        format!("{} ({unit})", meaning.trim_end_matches('.'))
    } else {
        meaning.into()
    }
}

fn property(of: ScalarType, description: &str, is_optional: bool) -> Json {
    let name = match of {
        ScalarType::Text => "string",
        ScalarType::Whole => "integer",
        ScalarType::Real => "number",
    };
    let kind = if is_optional { json!([name, "null"]) } else { json!(name) };
    let mut property = json!({ "type": kind, "description": description });
    if of == ScalarType::Whole {
        property["minimum"] = json!(0);
    }
    property
}
