//! Times of a table share one unit that suits the run, and its heading names it.

use crate::common;
use std::path::{Path, PathBuf};

use crate::common::{Folder, header, overhear, rank, stdout, two_ranks};
use traces::definitions::Definition;
use traces::write::{FileWriter, blank_block};

fn samples() -> [PathBuf; 2] {
    ["integer_sort-openmpi", "integer_sort-mpich"]
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(name))
}

const TABLES: &[&[&str]] = &[
    &["report"],
    &["report", "--by", "rank"],
    &["report", "--by", "rank=1"],
    &["report", "--by", "site"],
    &["report", "--by", "size"],
    &["report", "--by", "comm"],
    &["report", "--by", "peer"],
    &["report", "--by", "thread"],
    &["progress"],
    &["progress", "--by", "rank"],
    &["waits"],
    &["why"],
    &["path"],
    &["pop"],
    &["imbalance"],
    &["imbalance", "--by", "site"],
    &["teams"],
    &["files"],
    &["sleeps"],
    &["settings"],
    &["overlap"],
    &["network"],
    &["fanout"],
    &["check"],
];

/// Units of time in a text.
fn units(text: &str) -> Vec<&str> {
    let words = text.split(|one: char| one.is_whitespace() || "(),;".contains(one));
    words.filter(|word| ["s", "ms", "µs", "ns"].contains(word)).collect()
}

#[test]
fn a_line_has_one_unit_of_time_and_a_table_no_row_of_zeros() {
    let mut ran = 0;
    for folder in samples().iter().map(PathBuf::as_path).chain([two_ranks().0.as_path()]) {
        for arguments in TABLES {
            let text = stdout(&overhear(arguments[0], folder, &arguments[1..]));
            // An indented line continues a fact.
            let lines = text.split_inclusive('\n').fold(Vec::<String>::new(), |mut lines, line| {
                match line.starts_with("    ") && !lines.is_empty() {
                    true => lines.last_mut().unwrap().push_str(line),
                    false => lines.push(line.into()),
                }
                lines
            });
            for line in lines.iter().take_while(|line| !line.trim().is_empty()) {
                let mut units = units(line);
                units.dedup();
                assert!(units.len() <= 1, "{arguments:?}: {line}");
            }
            assert!(!text.contains("0.000000"), "{arguments:?}:\n{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{arguments:?}:\n{text}");
            ran += 1;
        }
    }
    assert_eq!(ran, 3 * TABLES.len());
}

#[test]
fn short_runs_have_their_times_in_a_unit_that_tells_them() {
    // Calls of this run take 1 to 30 µs.
    let text = stdout(&overhear("report", &two_ranks().0, &[]));
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("function")).collect();
    assert!(table[0].contains("max µs") && table[0].contains("mean µs"), "{text}");
    assert!(table[1].contains(" 60.000 ") && table[2].contains(" 6.000 "), "{text}");
}

#[test]
fn an_error_has_its_figures_digits_and_unit() {
    for folder in samples() {
        let text = stdout(&overhear("waits", &folder, &[]));
        let line = text.lines().find(|line| line.starts_with("waiting")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let decimals = |number: &str| number.split('.').nth(1).map_or(0, str::len);
        assert_eq!((words[2], ["s", "ms"].contains(&words[4])), ("±", true), "{line}");
        assert_eq!(decimals(words[1]), decimals(words[3]), "{line}");
        let heading = text.lines().find(|line| line.starts_with("wait state ")).unwrap();
        assert_eq!(units(heading)[0], units(heading)[1], "{heading}");
    }
}

#[test]
fn structured_output_stays_in_seconds() {
    let [folder, _] = samples();
    let text = stdout(&overhear("progress", &folder, &["--format", "csv", "--by", "component"]));
    let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(text.as_bytes()).records().flatten().collect();
    assert!(text.starts_with("component,calls,productive_calls,empty_percent,time_s,call_s"), "{text}");
    let [calls, time, call] = [1, 4, 5].map(|column| rows[0][column].parse::<f64>().unwrap());
    // Four ranks ran for less than a second each.
    assert!(time > 0.1 && time < 4.0, "{text}");
    // A call's time was printed as text before.
    assert!((call - time / calls).abs() < 1e-9, "{text}");
}

#[test]
fn csv_gives_the_table_that_was_asked_for() {
    let [folder, _] = samples();
    let first = |arguments: &[&str]| {
        let text = stdout(&overhear("report", &folder, &[arguments, &["--format", "csv"]].concat()));
        (text.lines().next().unwrap().to_string(), text.lines().count() - 1)
    };
    let (heading, rows) = first(&["--by", "rank"]);
    assert!(heading.starts_with("rank,world,host,pid,wall_time_s,mpi_time_s"), "{heading}");
    assert_eq!(rows, 4);
}

#[test]
fn names_in_structured_output_are_not_indented() {
    let [folder, _] = samples();
    let mut ran = 0;
    for (arguments, table, key) in
        [(&["pop"][..], "pop", "metric"), (&["diff", folder.to_str().unwrap()], "figures", "row")]
    {
        let output = overhear(arguments[0], &folder, &[&arguments[1..], &["--format", "json"]].concat());
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for row in said[table].as_array().unwrap() {
            let name = row[key].as_str().unwrap();
            assert_eq!(name, name.trim(), "{said:#}");
            ran += 1;
        }
    }
    assert!(ran > 10);
}

#[test]
fn a_thread_has_no_mean_over_ranks_that_it_is_not_of() {
    let [folder, _] = samples();
    let text = stdout(&overhear("report", &folder, &["--by", "thread"]));
    assert!(text.contains("of rank  thread  time ms  share %"), "{text}");
    assert!(!text.contains("mean ms"), "{text}");
    let said = common::json(&folder, "thread");
    let row = said["threads"][0].as_object().unwrap();
    assert!(row.contains_key("time_total_s") && !row.contains_key("time_mean_s"), "{row:?}");
}

#[test]
fn what_a_filter_leaves_out_is_said_only_where_somebody_gave_one() {
    let filtered = |filter: &str| {
        let folder = Folder::new();
        let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
        file.thread(0, &blank_block()).unwrap();
        let mut all = common::definitions(1, 0);
        all.retain(|definition| !matches!(definition, Definition::Filter(_)));
        all.push(Definition::Filter(filter.into()));
        file.definitions(&all).unwrap();
        folder.write("rank-0000.ovh", &file.into_inner());
        stdout(&overhear("report", &folder.0, &[]))
    };
    assert!(!filtered("-query").contains("filter"), "{}", filtered("-query"));
    for nothing in ["+query", "+wtime", "-io,+io", "all"] {
        assert!(!filtered(nothing).contains("filter"), "{}", filtered(nothing));
    }
    assert!(filtered("-io").contains("recorded with the filter -io"), "{}", filtered("-io"));
    let whole = Folder::new();
    whole.write("rank-0000.ovh", &rank(header(0, 1), &[], &[]));
    assert!(!stdout(&overhear("report", &whole.0, &[])).contains('!'));
}
