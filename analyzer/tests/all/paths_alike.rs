//! A run says the same with call paths as without them, where nobody asks for paths.

use serde_json::Value;

use crate::common::call_paths::{plain_and_with_paths, printed};
use crate::common::overhear;

#[test]
fn a_place_that_several_paths_call_is_one_row_in_every_table() {
    let (plain, paths) = plain_and_with_paths();
    let analyses: &[&[&str]] = &[
        &["report"],
        &["report", "--by", "rank"],
        &["report", "--by", "rank=1"],
        &["report", "--by", "comm"],
        &["report", "--by", "site"],
        &["report", "--by", "size"],
        &["report", "--by", "peer"],
        &["report", "--by", "thread"],
        &["report", "--by", "host"],
        &["report", "--by", "collective"],
        &["progress"],
        &["waits"],
        &["why"],
        &["path"],
        &["overlap"],
        &["network"],
        &["fanout"],
        &["pop"],
        &["matrix"],
        &["imbalance"],
        &["imbalance", "--by", "site"],
        &["check"],
        &["timeline"],
        &["hang"],
    ];
    for words in analyses {
        let (command, arguments) = words.split_first().unwrap();
        let [without, with] = [&plain, &paths].map(|folder| printed(command, &folder.0, arguments));
        assert!(without.len() > 100, "{words:?} printed {without}");
        assert_eq!(without, with, "{words:?}");
        if ["timeline", "hang"].contains(command) {
            continue;
        }
        let arguments = [arguments, &["--format", "json"][..]].concat();
        let [without, with] = [&plain, &paths].map(|folder| {
            let text = printed(command, &folder.0, &arguments);
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"))
        });
        same(&without, &with, &format!("{words:?}"));
    }
}

/// Fails unless two values are the same, but for the order in which times were added.
fn same(one: &Value, other: &Value, at: &str) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            assert!(one.keys().eq(other.keys()), "{at}");
            for (key, value) in one.iter().filter(|(key, _)| *key != "file_bytes") {
                same(value, &other[key], &format!("{at}.{key}"));
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{at}");
            for (number, (one, other)) in one.iter().zip(other).enumerate() {
                same(one, other, &format!("{at}[{number}]"));
            }
        }
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            assert!((one - other).abs() <= 1e-9 * one.abs(), "{at}: {one} and {other}");
        }
        _ => assert_eq!(one, other, "{at}"),
    }
}

#[test]
fn a_run_without_paths_says_so_where_paths_are_asked_for() {
    let (plain, _) = plain_and_with_paths();
    let output = overhear("paths", &plain.0, &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text.contains("no call paths"), "{text}");
    for by in ["caller", "path"] {
        assert!(printed("report", &plain.0, &["--by", by]).contains("no call paths were recorded"), "{by}");
        assert!(printed("waits", &plain.0, &["--by", by]).contains("no call paths were recorded"), "{by}");
    }
}
