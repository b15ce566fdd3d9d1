//! A column that is declared once appears in every output.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use data::arrow;
use parquet::record::Field;
use pictures::page::{Page, PageSection};
use serde_json::Value as Json;
use tables::schema::Schema;
use tables::{Batch, Column, Report, Row, Table, csv, json, text};

use crate::common::parquet::parquet;

/// A row of a table that no command prints.
struct PlantedRow {
    delay: f64,
}

const MEANING: &str = "How long a planted delay lasts.";

impl Row for PlantedRow {
    const TABLE: &'static str = "planted";
    fn columns() -> Vec<Column<Self>> {
        vec![Column::seconds("delay_s", "delay", |row: &Self| row.delay).means(MEANING)]
    }
}

fn report() -> Report {
    let table = Table::new("planted", vec![PlantedRow { delay: 0.25 }]);
    Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![table.into()] }
}

fn printed(print: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    print(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_column_that_is_declared_once_is_in_text_json_csv_parquet_arrow_page_explain_and_schema() {
    let text = String::from_utf8(printed(|out| text::print(&report(), out))).unwrap();
    assert!(text.contains("delay") && text.contains("250"), "{text}");

    let said: Json = serde_json::from_slice(&printed(|out| json::print(&report(), "planted", out))).unwrap();
    assert_eq!(said["planted"][0]["delay_s"], 0.25);

    let csv = String::from_utf8(printed(|out| csv::print(&report(), out))).unwrap();
    assert_eq!(csv.split_whitespace().collect::<Vec<_>>(), ["delay_s", "0.25"]);

    let frame = parquet(&printed(|out| data::sheet_parquet::print(&report(), out)));
    assert_eq!(frame.column("delay_s"), [Field::Double(0.25)]);

    let columns = PlantedRow::columns();
    let heads: Vec<_> = columns.iter().map(|column| column.head.clone()).collect();
    let values = columns.iter().map(|column| column.values(&[PlantedRow { delay: 0.25 }], &())).collect();
    let batch = arrow::record_batch(&Arc::new(arrow::schema(&heads)), Batch { rows: 1, columns: values }).unwrap();
    assert_eq!(batch["delay_s"].as_primitive::<Float64Type>().value(0), 0.25);

    let html = page().html();
    assert!(html.contains(r#""key":"delay_s""#) && html.contains(MEANING), "{html}");

    let schema = Schema::of("planted").table::<PlantedRow>();
    let explained = schema.meanings();
    let [column] = explained.as_slice() else { panic!("one column") };
    assert_eq!((column.key.as_str(), column.place.as_str()), ("delay_s", "planted (planted)"));
    assert_eq!((column.heading.as_str(), column.meaning.as_str()), ("delay", MEANING));

    let schema: Json = serde_json::from_str(&schema.text()).unwrap();
    let described = &schema["properties"]["planted"]["items"]["properties"]["delay_s"]["description"];
    assert_eq!(described, "How long a planted delay lasts (seconds)");
}

/// A page with that table alone.
fn page() -> Page {
    let section = PageSection {
        id: "planted",
        title: "planted",
        question: "How long?",
        command: "overhear planted",
        found: Ok(report()),
    };
    Page {
        program: "planted".into(),
        facts: Vec::new(),
        warnings: Vec::new(),
        findings: Vec::new(),
        no_finding: String::new(),
        sections: vec![section],
        timeline: None,
        sources: pictures::SourceLines::new(),
    }
}
