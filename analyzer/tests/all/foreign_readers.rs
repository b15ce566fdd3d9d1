//! DuckDB and PyArrow read the same from an export as `report` and the export's JSON lines say.

use std::env;
use std::path::Path;
use std::process::Command;

use examples::wheel::READERS;

use crate::common::recorded::recorded;
use crate::common::{Folder, json, overhear, stderr};

/// Prints each table's number of rows by DuckDB and PyArrow, and of its JSON by DuckDB; and calls by function.
const SCRIPT: &str = r#"
import sys, duckdb, pyarrow.dataset
parquet, lines = sys.argv[1:3]
one = lambda query: duckdb.sql(query).fetchall()
for table in sys.argv[3:]:
    of = f"read_parquet('{parquet}/{table}/*/*.parquet', hive_partitioning=true)"
    data = pyarrow.dataset.dataset(f"{parquet}/{table}", partitioning="hive")
    columns = sorted(name for name, *_ in one(f"describe select * from {of}"))
    assert columns == sorted(data.schema.names), (columns, data.schema.names)
    text = sum(1 for file in __import__("glob").glob(f"{lines}/{table}/*/*.jsonl") for line in open(file))
    print("rows", table, one(f"select count(*) from {of}")[0][0], data.count_rows(), text)
of = f"read_parquet('{parquet}/calls/*/*.parquet', hive_partitioning=true)"
for rank, function, calls in one(f"select rank, function, sum(calls) from {of} group by all order by all"):
    print("calls", rank, function, int(calls))
"#;

#[test]
fn duckdb_and_pyarrow_read_the_rows_and_calls_of_an_export() {
    READERS.iter().for_each(|reader| reader.install().unwrap());
    let path = env::join_paths(READERS.iter().map(|reader| reader.folder())).unwrap();
    let mut ran = 0;
    for fixture in ["persistent_halo", "regions", "wildcard", "one_sided"].iter().flat_map(|name| recorded(name)) {
        let (parquet, lines) = (Folder::new(), Folder::new());
        for (format, folder) in [("parquet", &parquet), ("json", &lines)] {
            let output = overhear("export", &fixture.run, &[folder.0.to_str().unwrap(), "--no-cache", "--to", format]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
        let tables: Vec<&str> = data::heads().iter().map(|head| head.name).collect();
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", &path).args(["-c", SCRIPT]).args([&parquet.0, &lines.0]).args(&tables);
        let output = python.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let said = String::from_utf8(output.stdout).unwrap();
        let words = |kind: &'static str| {
            said.lines().map(|line| line.split(' ').collect::<Vec<_>>()).filter(move |words| words[0] == kind)
        };
        for counted in words("rows") {
            assert!(counted[2] == counted[3] && counted[3] == counted[4], "{counted:?}");
        }
        assert_eq!(words("rows").count(), tables.len());
        ran += agrees(
            &fixture.run,
            words("calls").map(|words| (words[1].to_string(), words[2].to_string(), words[3].parse().unwrap())),
        );
    }
    assert!(ran > 20, "{ran}");
}

/// Compares the calls of each rank and function with `report`. Returns their number.
fn agrees(run: &Path, read: impl Iterator<Item = (String, String, u64)>) -> usize {
    let report = json(run, "rank");
    let row = |row: &serde_json::Value| {
        (row["rank"].to_string(), row["function"].as_str().unwrap().to_string(), row["calls"].as_u64().unwrap())
    };
    let mut told: Vec<_> = report["rank_functions"].as_array().unwrap().iter().map(row).collect();
    let mut read: Vec<_> = read.collect();
    told.retain(|(.., calls)| *calls > 0);
    told.sort();
    read.sort();
    assert_eq!(read, told, "{}", run.display());
    read.len()
}
