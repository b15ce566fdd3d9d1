//! Recorded programs timed their own calls: without MPI, the analyses of their traces agree.

use crate::common::recorded::{all_measured, ask, measured, recorded};
use examples::answer::{number, whole};
use serde_json::{Value, json};

/// Allowed difference: a share, and seconds. The recorder's own work lies around the calls that it times, and the
/// program sees both.
const APART: (f64, f64) = (0.05, 0.3e-6);

fn assert_near(found: f64, measured: f64, what: &str) {
    let most = APART.0 * measured + APART.1;
    assert!((found - measured).abs() <= most, "{what}: {measured} s were measured, {found} s are found");
}

#[test]
fn transfer_time_and_availability_of_requests_are_what_the_program_measured() {
    for fixture in recorded("overlapped") {
        let said = ask(&fixture.run, "overlap", &["--rank", "0"]);
        for traffic in ["send", "receive"] {
            let rows: Vec<&Value> = said.matching("messages", &[("traffic", json!(traffic))]);
            let [row] = rows[..] else { panic!("{traffic}: {rows:#?}") };
            assert_eq!((whole(row, "requests"), whole(row, "size_bytes")), (82, 1 << 18), "{row:#}");
            let [transfer, overhead] =
                ["transfer", "overhead"].map(|of| measured(&fixture, &format!("{of} {traffic}")));
            assert_near(number(row, "transfer_s"), transfer, traffic);
            // The program also sees the recorder's work before and after each call.
            let available = 100.0 * (1.0 - overhead / transfer);
            let found = number(row, "availability_percent");
            assert!((found - available).abs() <= 3.0, "{traffic}: {available} and not {row:#}");
        }
    }
}

#[test]
fn exchanges_take_what_the_program_measured() {
    for fixture in recorded("exchanged") {
        let said = ask(&fixture.run, "network", &[]);
        let mut seen = 0;
        for (name, value) in all_measured(&fixture) {
            let words: Vec<&str> = name.split(' ').collect();
            let ["exchange", pattern, bytes] = words[..] else { panic!("{name}") };
            let wanted = [("pattern", json!(pattern)), ("size_bytes", json!(bytes.parse::<u64>().unwrap()))];
            let rows: Vec<&Value> = said.matching("sizes", &wanted);
            let [row] = rows[..] else { panic!("{name}: {rows:#?}") };
            assert_near(number(row, "time_s"), value, name);
            seen += 1;
        }
        assert_eq!(seen, 8, "{}", fixture.stderr);
    }
}

#[test]
fn rounds_take_what_the_hub_measured_and_the_late_answer_is_a_maverick() {
    let functions = [
        ("persistent", "MPI_Startall"),
        ("probing", "MPI_Ssend"),
        ("collective", "MPI_Scatter"),
        ("turns", "MPI_Sendrecv"),
    ];
    for fixture in recorded("fan_shapes") {
        let said = ask(&fixture.run, "fanout", &[]);
        let mut seen = 0;
        for (name, value) in all_measured(&fixture) {
            let words: Vec<&str> = name.split(' ').collect();
            let [shape, ranks, rounds] = words[..] else { panic!("{name}") };
            let (_, function) = functions.iter().find(|(of, _)| *of == shape).unwrap();
            let found = said.matching("rounds", &[("function", json!(function)), ("root_rank", json!(3))]);
            let [row] = found[..] else { panic!("{name}: {found:#?}") };
            let counts = [whole(row, "ranks"), whole(row, "rounds"), whole(row, "size_bytes")];
            assert_eq!(counts, [ranks.parse().unwrap(), rounds.parse().unwrap(), 512], "{name}");
            assert_near(number(row, "median_s"), value, name);
            seen += 1;
        }
        assert_eq!(seen, functions.len(), "{}", fixture.stderr);
        let late = said.matching("mavericks", &[("function", json!("MPI_Startall")), ("round", json!(7))]);
        let [late] = late[..] else { panic!("{:#?}", said.rows("mavericks")) };
        assert!(late["last_rank"] == 0 && number(late, "round_s") >= 0.03, "{late:#}");
    }
}

#[test]
fn collective_calls_of_all_ranks_take_what_the_program_measured() {
    for fixture in recorded("collective_times") {
        let said = ask(&fixture.run, "report", &["--by", "collective"]);
        for (function, bytes, root) in [("MPI_Allreduce", 8, Value::Null), ("MPI_Bcast", 1 << 16, json!(2))] {
            let found = said.matching("operations", &[("function", json!(function)), ("size_bytes", json!(bytes))]);
            let [row] = found[..] else { panic!("{function}: {found:#?}") };
            assert_eq!((whole(row, "operations"), &row["root"]), (31, &root), "{row:#}");
            for (name, column) in [("first to last", "first_to_last_s"), ("skew", "skew_s"), ("rank", "rank_median_s")]
            {
                let measured = measured(&fixture, &format!("{name} {function}"));
                // Times below the clocks' error are not printed.
                match row[column].as_f64() {
                    Some(found) => assert_near(found, measured, &format!("{name} {function}")),
                    None => assert!(measured < number(row, &column.replace("_s", "_error_s")) + APART.1, "{row:#}"),
                }
            }
        }
        let late = said.matching("operations", &[("function", json!("MPI_Allreduce"))]);
        assert!(late.iter().all(|row| number(row, "skew_s") >= 0.002), "{late:#?}");
    }
}

#[test]
fn equal_messages_under_two_libraries_are_identical_and_one_changed_number_is_named() {
    let same = recorded("same_messages");
    let [one, other] = &same[..] else { panic!("{} recordings", same.len()) };
    let compare = |other: &std::path::Path| ask(&one.run, "diff", &[other.to_str().unwrap(), "--messages"]);
    let said = compare(&other.run);
    assert_eq!((said.status, &said.json["run"]["verdict"]), (0, &json!("identical")), "{:#}", said.json);
    // In each of six rounds on three ranks: a message each way, parts of a sum, and three collected parts.
    assert_eq!(said.fact("messages"), 18.0);
    assert!(said.fact("checksums_compared") >= 6.0 * 3.0 * 5.0, "{:#}", said.json);
    for changed in recorded("changed_message") {
        let said = compare(&changed.run);
        assert_eq!((said.status, &said.json["run"]["verdict"]), (1, &json!("different")), "{:#}", said.json);
        let first = &said.rows("first_differences")[0];
        let named = ["rank", "what", "way", "function"].map(|key| first[key].clone());
        assert_eq!(named, [json!(1), json!("content"), json!("sent"), json!("MPI_Sendrecv")], "{first:#}");
        assert!(first["site"].as_str().unwrap().contains("same_messages.c:"), "{first:#}");
        assert_ne!(first["a_checksum"], first["b_checksum"]);
    }
}
