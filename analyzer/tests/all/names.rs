//! Names come from the program: no output lets them steer a terminal, break a line or run as a formula.

use crate::common::named::{named, named_in};
use crate::common::{Folder, overhear, stderr, stdout};

/// Sequences that terminals react to: a title, a bell, a line end, text from right to left, a zero width, a C1 control.
const EVIL: &str = "\x1b]0;owned\x07\x1b[2J\r\n\t\u{202e}\u{2066}\u{200b}\u{9b}31m\u{7f}";
const COMMANDS: [&str; 9] = ["report", "progress", "why", "waits", "path", "pop", "matrix", "imbalance", "check"];

/// True if the text has no hidden characters but line ends.
fn is_harmless(text: &str) -> bool {
    let unseen = ['\u{202e}', '\u{2066}', '\u{200b}'];
    !text.chars().any(|one| (one.is_control() && one != '\n') || unseen.contains(&one))
}

#[test]
fn names_reach_no_terminal_as_they_are_whatever_is_printed() {
    let parent = Folder::new();
    let below = Folder(parent.0.join(EVIL));
    std::fs::create_dir(&below.0).unwrap();
    let folder = named_in(below, EVIL);
    let mut ran = 0;
    for command in COMMANDS {
        for format in ["text", "json", "csv"] {
            let output = overhear(command, &folder.0, &["--format", format]);
            assert!(is_harmless(&stdout(&output)), "{command} {format}: {:?}", stdout(&output));
            assert!(is_harmless(&stderr(&output)), "{command} {format}: {:?}", stderr(&output));
            assert!(!output.stdout.is_empty(), "{command} {format}: {}", stderr(&output));
            ran += 1;
        }
    }
    for by in ["rank", "rank=1", "comm", "site", "size", "peer", "thread", "region"] {
        let output = overhear("report", &folder.0, &["--by", by]);
        assert!(is_harmless(&stdout(&output)), "{by}: {:?}", stdout(&output));
        ran += 1;
    }
    assert_eq!(ran, 35);
    // Errors contain names, too.
    for arguments in [&["--region", "\x1b[2J"][..], &["--output", "/nowhere/\x1b[2J"]] {
        let output = overhear("report", &folder.0, arguments);
        assert!(!output.status.success() && is_harmless(&stderr(&output)), "{:?}", stderr(&output));
        assert!(stderr(&output).contains("\\x1b"), "{}", stderr(&output));
    }
}

#[test]
fn a_table_keeps_its_rows_and_columns_whatever_names_hold() {
    let plain = named("name");
    let folder = named("a\u{202e}\n東京\x07");
    for by in ["site", "comm", "region"] {
        let [straight, odd] = [&plain, &folder].map(|folder| stdout(&overhear("report", &folder.0, &["--by", by])));
        let table = |text: &str| text.split("\n\n").nth(1).unwrap().lines().map(str::to_string).collect::<Vec<_>>();
        let (straight, odd) = (table(&straight), table(&odd));
        assert_eq!(straight.len(), odd.len(), "{by}: {odd:?}");
        let row = odd.iter().find(|line| line.contains("a\\u{202e}\\x0a東京\\x07")).unwrap();
        // Wide characters take two columns.
        let places = |line: &str| line.chars().map(|one| 1 + usize::from("東京".contains(one))).sum::<usize>();
        assert_eq!(places(&odd[1]), places(row), "{odd:?}");
    }
}

#[test]
fn json_gives_names_back_as_they_were() {
    let folder = named(EVIL);
    let said: serde_json::Value =
        serde_json::from_slice(&overhear("report", &folder.0, &["--by", "comm", "--format", "json"]).stdout).unwrap();
    assert_eq!(said["communicators"][0]["communicator"], EVIL);
}

#[test]
fn a_spreadsheet_takes_no_name_for_a_formula_and_numbers_for_numbers() {
    let mut ran = 0;
    for name in ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"] {
        let folder = named(name);
        let text = stdout(&overhear("report", &folder.0, &["--by", "comm", "--format", "csv"]));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        assert!(row[0].starts_with(&format!("'{}", name.trim_start())) || row[0].starts_with("'\\x"), "{:?}", &row[0]);
        assert!(row.iter().skip(1).all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok()), "{row:?}");
        ran += 1;
    }
    assert_eq!(ran, 7);
}
