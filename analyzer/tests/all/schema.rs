//! JSON, CSV and Parquet of every command follow its published schema, and keys name the units.

use crate::common::call_paths::with_paths;
use crate::common::{self, golden::GoldenFiles, parquet::parquet, python::python};
use crate::{compared, files, sleeps, teams, use_of_machine};
use parquet::record::Field;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::wheel::JSON_SCHEMA;
use serde_json::{Value, json};

const SAMPLES: [&str; 2] = ["traces/samples/integer_sort-openmpi", "traces/samples/integer_sort-mpich"];

/// Every analysis, and every way to run it.
pub const COMMANDS: [(&str, &[&str]); 24] = [
    (
        "report",
        &[
            "function",
            "rank",
            "rank=3",
            "behavior",
            "comm",
            "site",
            "size",
            "peer",
            "thread",
            "host",
            "region",
            "collective",
        ],
    ),
    ("waits", &[]),
    ("why", &[]),
    ("path", &[]),
    ("paths", &[]),
    ("timeline", &[]),
    ("pop", &[]),
    ("whatif", &[]),
    ("check", &[]),
    ("hang", &[]),
    ("top", &[]),
    ("matrix", &[]),
    ("imbalance", &["function", "site"]),
    ("teams", &["path"]),
    ("files", &["path"]),
    ("sleeps", &["path"]),
    ("settings", &[]),
    ("progress", &["rank", "component", "function", "site"]),
    ("overlap", &[]),
    ("network", &[]),
    ("fanout", &[]),
    ("diff", &[]),
    ("diff-messages", &[]),
    ("scaling", &[]),
];

/// Endings of keys whose figures are numbers.
const UNITS: [&str; 3] = ["s", "bytes", "percent"];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn overhear(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = command.args(arguments).current_dir(project()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

pub fn schema(command: &str) -> Value {
    serde_json::from_slice(&overhear(&["schema", command])).unwrap()
}

/// Output of a command on the samples in a format, for each way to run it.
fn said(command: &str, format: &str) -> Vec<(String, Vec<u8>)> {
    let ways = COMMANDS.iter().find(|(name, _)| *name == command).unwrap().1;
    let mut words: Vec<Vec<&str>> = vec![vec![]];
    words.extend(ways.iter().map(|way| vec!["--by", way]));
    // Some tables appear only for a part of the run.
    match command {
        "diff-messages" => words = vec![vec!["--messages"], vec!["--messages", "--rank", "1-2"]],
        // The current position of ranks takes no part of the run.
        "hang" => {}
        // Its run has one rank.
        "teams" => {}
        "files" | "sleeps" => words.push(vec!["--rank", "1"]),
        "top" => words = vec![vec!["--once"]],
        // It replays whole runs.
        "whatif" => words = vec![vec!["--balance", "--rank", "0=0.5"]],
        "paths" => words.extend([vec!["--hot"], vec!["--flat"]]),
        _ => words.push(vec!["--rank", "1-2", "--from", "100ms", "--to", "250ms"]),
    }
    let grown = [4, 8, 16].map(common::growing::run);
    let exchanging = common::exchanging::run();
    let of_paths = with_paths();
    let with_teams = teams::one_rank();
    let with_files = files::two_ranks();
    let with_sleeps = sleeps::two_ranks();
    let with_settings = compared::with_settings(&[["pml", "ob1", "/etc/a.conf:7"], ["eager", "4096", ""]]);
    let other_settings = compared::with_settings(&[["pml", "ucx", ""]]);
    let runs: Vec<Vec<&str>> = match command {
        "diff" => vec![SAMPLES.to_vec(), [&with_settings, &other_settings].map(|run| run.0.to_str().unwrap()).to_vec()],
        "diff-messages" => vec![SAMPLES.to_vec()],
        "network" => vec![vec![exchanging.0.to_str().unwrap()]],
        "paths" => vec![vec![of_paths.0.to_str().unwrap()]],
        "files" => vec![vec![with_files.0.to_str().unwrap()]],
        "sleeps" => vec![vec![with_sleeps.0.to_str().unwrap()]],
        "teams" => vec![vec![with_teams.0.to_str().unwrap()]],
        "settings" => vec![vec![with_settings.0.to_str().unwrap()]],
        "scaling" => vec![grown.iter().map(|run| run.0.to_str().unwrap()).collect()],
        _ => SAMPLES.iter().map(|sample| vec![*sample]).collect(),
    };
    let mut said = Vec::new();
    for words in &words {
        for runs in &runs {
            let name = command.split_once('-').map_or(command, |(name, _)| name);
            let arguments = [&[name][..], words, runs, &["--format", format]].concat();
            said.push((arguments.join(" "), overhear(&arguments)));
        }
    }
    if command == "report" {
        let counted = use_of_machine::counted();
        let arguments = ["report", "--by", "rank", counted.0.to_str().unwrap(), "--format", format];
        said.push((arguments.join(" "), overhear(&arguments)));
    }
    said
}

/// Tables of a schema: name, and key and schema of each field in order.
pub fn tables(schema: &Value) -> Vec<(String, Vec<(String, Value)>)> {
    let fields = |table: &Value| -> Vec<(String, Value)> {
        let properties = table["items"]["properties"].as_object().unwrap();
        properties.iter().map(|(key, field)| (key.clone(), field.clone())).collect()
    };
    let properties = schema["properties"].as_object().unwrap().iter();
    let tables = properties.filter(|(name, value)| value["type"] == "array" && *name != "warnings");
    tables.map(|(name, table)| (name.clone(), fields(table))).collect()
}

fn is_type(field: &Value, name: &str) -> bool {
    field["type"] == name || field["type"] == json!([name, "null"])
}

#[test]
fn the_published_schemas_are_what_the_command_prints() {
    let mut comparison = GoldenFiles::default();
    for (command, _) in COMMANDS {
        let path = project().join("docs/schema").join(format!("{command}.json"));
        let printed = String::from_utf8(overhear(&["schema", command])).unwrap();
        comparison.text(&path, &printed);
    }
    comparison.finish();
    let kept = fs::read_dir(project().join("docs/schema")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(kept.filter(|path| path.extension().is_some_and(|end| end == "json")).count(), COMMANDS.len());
}

#[test]
fn a_key_that_ends_in_a_unit_is_of_a_number_in_every_schema() {
    let mut ran = 0;
    for (command, _) in COMMANDS {
        let schema = schema(command);
        let run = schema["properties"]["run"]["properties"].as_object().unwrap().clone();
        let tables = tables(&schema);
        let fields = tables.iter().flat_map(|(_, fields)| fields.clone()).chain(run);
        for (key, field) in fields.filter(|(key, _)| UNITS.contains(&key.rsplit('_').next().unwrap())) {
            assert!(is_type(&field, "number") || is_type(&field, "integer"), "{command}: {key} is {field}");
            ran += 1;
        }
        for (table, fields) in tables {
            let keys: Vec<&String> = fields.iter().map(|(key, _)| key).collect();
            assert_eq!(json!(keys), schema["properties"][&table]["items"]["required"], "{command}: {table}");
            let ranks = keys.iter().filter(|key| key.ends_with("rank")).count();
            assert_eq!(keys.iter().filter(|key| key.ends_with("world")).count(), ranks, "{command}: {table}");
        }
    }
    assert!(ran > 100, "{ran}");
}

/// A schema that permits only the keys it names.
fn strict(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(object) => {
            object.values_mut().for_each(|value| *value = strict(value.take()));
            if object.contains_key("properties") && object["type"] == "object" {
                object.insert("additionalProperties".into(), json!(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = strict(value.take())),
        _ => {}
    }
    schema
}

/// Reads `[schema, [[words, document]...]]` of each command, and prints the words of each document that is not as its
/// schema says, and why.
const SCRIPT: &str = r#"
import json, sys
from fastjsonschema import JsonSchemaValueException, compile
for schema, documents in json.load(sys.stdin):
    validate = compile(schema)
    for words, document in documents:
        try:
            validate(document)
        except JsonSchemaValueException as wrong:
            print(words + ":", wrong.message)
"#;

#[test]
fn the_json_of_every_command_is_as_its_schema_says() {
    let mut documents = Vec::new();
    for (command, _) in COMMANDS {
        let schema = strict(schema(command));
        let tables = tables(&schema);
        let mut rows = vec![0; tables.len()];
        let mut of_command = Vec::new();
        for (words, bytes) in said(command, "json") {
            let said: Value = serde_json::from_slice(&bytes).unwrap();
            for (rows, (table, _)) in rows.iter_mut().zip(&tables) {
                *rows += said[table].as_array().map_or(0, Vec::len);
            }
            of_command.push(json!([words, said]));
        }
        let empty: Vec<&str> =
            tables.iter().zip(rows).filter(|(_, rows)| *rows == 0).map(|((table, _), _)| table.as_str()).collect();
        // The samples have no phases, calls without a partner, nonblocking collectives, one-sided transfers or equal
        // messages, no call paths, no second thread, too few rounds to call one a maverick or the cheapest,
        // and do not hang.
        let may_be = [
            "phases",
            "unmatched",
            "collectives",
            "cheapest",
            "mavericks",
            "one_sided",
            "first_differences",
            "wavefront",
            "stacks",
            "reasons",
            "threads",
        ];
        assert!(empty.iter().all(|table| may_be.contains(table)), "{command}: {empty:?}");
        documents.push(json!([schema, of_command]));
    }
    // The checker finds what is wrong.
    let broken = json!([{ "type": "object", "required": ["run"] }, [["nothing", {}]]]);
    documents.push(broken);
    JSON_SCHEMA.install().unwrap();
    let wrong = python(&JSON_SCHEMA, SCRIPT, &Value::from(documents).to_string());
    assert_eq!(wrong, "nothing: data must contain ['run'] properties\n");
}

/// Fields of the table with these keys in this order.
fn fields<'a>(tables: &'a [(String, Vec<(String, Value)>)], keys: &[String], words: &str) -> &'a [(String, Value)] {
    let is_of = |fields: &[(String, Value)]| fields.iter().map(|(key, _)| key).eq(keys);
    let table = tables.iter().find(|(_, fields)| is_of(fields));
    &table.unwrap_or_else(|| panic!("{words}: {keys:?} are of no table")).1
}

#[test]
fn the_csv_of_every_command_has_the_fields_of_a_table_and_numbers_where_the_schema_says_so() {
    for (command, _) in COMMANDS {
        let (schema, mut ran) = (schema(command), 0);
        let tables = tables(&schema);
        for (words, bytes) in said(command, "csv") {
            let mut reader = csv::Reader::from_reader(&bytes[..]);
            let keys: Vec<String> = reader.headers().unwrap().iter().map(String::from).collect();
            let fields = fields(&tables, &keys, &words);
            for row in reader.records().map(Result::unwrap) {
                for ((key, field), cell) in fields.iter().zip(&row) {
                    let is_number = match cell {
                        "" => field["type"].is_array(),
                        cell if is_type(field, "integer") => cell.parse::<u64>().is_ok(),
                        cell => cell.parse::<f64>().is_ok_and(f64::is_finite),
                    };
                    assert!(is_number || is_type(field, "string"), "{words}: {key} is {cell}");
                    ran += 1;
                }
            }
        }
        assert!(ran > 0, "{command}");
    }
}

#[test]
fn the_parquet_of_every_command_has_the_fields_of_a_table_in_their_types() {
    for (command, _) in COMMANDS {
        let (schema, mut ran) = (schema(command), 0);
        let tables = tables(&schema);
        for (words, bytes) in said(command, "parquet") {
            let read = parquet(&bytes);
            let keys: Vec<String> = read.columns.iter().map(|column| column.key.clone()).collect();
            for ((key, field), column) in fields(&tables, &keys, &words).iter().zip(&read.columns) {
                let of = column.json_type;
                assert!(is_type(field, of), "{words}: {key} is {of}, and in the schema {field}");
                assert!(field["type"].is_array() || !column.values.contains(&Field::Null), "{words}: {key} has nulls");
                ran += column.values.len();
            }
        }
        assert!(ran > 0, "{command}");
    }
}
