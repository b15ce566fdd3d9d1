//! The ranks' files agree with each other: what one sent, another received.

mod common;

use std::collections::BTreeMap;

use common::{case, in_rust, libraries, said};
use examples::program::Program;
use examples::run::{Case, Report, Run};
use serde_json::{Value, json};
use traces::read::{RankFile, Visitor, Walk};

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("{column} of {row}"))
}

/// Columns of the rows of the table of pairs, by sender and receiver.
fn pairs<const N: usize>(report: &Report, columns: [&str; N]) -> BTreeMap<(u64, u64), [u64; N]> {
    let place = |row| (number(row, "from_rank"), number(row, "to_rank"));
    report.rows("pairs").iter().map(|row| (place(row), columns.map(|column| number(row, column)))).collect()
}

#[test]
fn as_many_bytes_are_received_as_are_sent_between_every_two_ranks() {
    for mpi in libraries() {
        let of = |name| Case::of(&Program::read(name), &mpi);
        let cases =
            [("integer_sort", in_rust("integer_sort", &mpi)), ("halo", of("persistent_halo")), ("ring", of("ring"))];
        for (name, case) in cases {
            let (output, run) = case.recorded(&format!("matched-{name}"));
            assert_eq!(output.status, 0, "{name} under {}: {}", mpi.name, output.stderr);
            let (check, matrix) = (said(&run, "check"), said(&run, "matrix"));
            let received = pairs(&check, ["messages", "received_bytes"]);
            assert!(!received.is_empty(), "{name} under {}: {}", mpi.name, check.json);
            assert_eq!(received, pairs(&check, ["messages", "sent_bytes"]), "{name} under {}", mpi.name);
            // The matrix is what the senders say, without a look at the receivers.
            assert_eq!(received, pairs(&matrix, ["messages", "bytes"]), "{name} under {}", mpi.name);
            let total = |at: usize| received.values().map(|pair| pair[at]).sum::<u64>();
            let all = ["matched_messages", "received_bytes", "sent_bytes"].map(|fact| number(&check.json["run"], fact));
            assert_eq!(all, [total(0), total(1), total(1)], "{name} under {}", mpi.name);
            assert_eq!(check.status, 0, "{name} under {}: {}", mpi.name, check.warnings());
        }
    }
}

/// What a run with a killed rank says that was planted, or what is wrong with it.
fn before_the_kill(run: &Run, stderr: &str) -> Result<(), String> {
    let (waits, check) = (said(run, "waits"), said(run, "check"));
    assert_eq!((waits.status, check.status), (4, 4), "{}", waits.warnings());
    let unmatched = |what: &str, rank: u32, function: &str| {
        let matching = [("what", json!(what)), ("rank", json!(rank)), ("function", json!(function))];
        check.sum("unmatched", "calls", &matching)
    };
    let found = [
        unmatched("sent, not received", 2, "MPI_Send"),
        unmatched("received, not sent", 1, "MPI_Irecv"),
        unmatched("others did not come", 0, "MPI_Ibarrier"),
        unmatched("others did not come", 1, "MPI_Ibarrier"),
    ];
    let calls: u64 = check.rows("unmatched").iter().map(|row| number(row, "calls")).sum();
    assert_eq!((found, calls), ([1; 4], 4), "{:#?}", check.rows("unmatched"));
    for what in ["message sent and not received", "receive of which the message is not known"] {
        assert!(waits.warnings().contains(what), "{}", waits.warnings());
    }
    let measured =
        stderr.lines().find_map(|line| line.strip_prefix("truth: wait late_sender rank 1 // receives <- rank 0 = "));
    let measured: f64 = measured.and_then(|seconds| seconds.trim().parse().ok()).unwrap_or_else(|| panic!("{stderr}"));
    let is_planted = |row: &&Value| {
        row["wait_state"] == "late_sender"
            && (&row["rank"], &row["function"]) == (&json!(1), &json!("MPI_Recv"))
            && (&row["cause_rank"], &row["cause_function"]) == (&json!(0), &json!("MPI_Send"))
    };
    let found: f64 = waits.rows("waits").iter().filter(is_planted).filter_map(|row| row["wait_s"].as_f64()).sum();
    match (found - measured).abs() <= 0.05 * measured {
        true => Ok(()),
        false => Err(format!("the program measured {measured} s, and {found} s are found")),
    }
}

#[test]
fn when_a_rank_is_killed_the_others_waits_before_that_are_told_and_what_is_unmatched() {
    for mpi in libraries() {
        let attempt = |_| {
            let (output, run) = case("killed_between", &mpi, 3, &[]).recorded("killed-between");
            before_the_kill(&run, &output.stderr).err()
        };
        let wrong: Vec<String> = (0..common::ATTEMPTS).map_while(attempt).collect();
        assert!(wrong.len() < common::ATTEMPTS, "{}: {wrong:#?}", mpi.name);
    }
}

struct Nothing;

impl Visitor for Nothing {
    fn call(&mut self, _: u32, _: u64, _: u64) {}
}

#[test]
fn time_goes_on_from_page_to_page() {
    for mpi in libraries() {
        let program = Program::read("many_sizes");
        let (_, run) = Case::of(&program, &mpi).with("OVERHEAR_PROGRESS", "events").recorded("pages");
        for file in run.files() {
            let file = RankFile::open(&file).unwrap();
            for thread in file.contents().threads {
                let ends = thread.pages.iter().map(|page| {
                    let mut walk = Walk::new(page);
                    walk.step(&mut Nothing, usize::MAX).unwrap();
                    walk.last()
                });
                let begins: Vec<u64> = thread.pages.iter().skip(1).map(|page| page.base).collect();
                let ends: Vec<u64> = ends.take(begins.len()).collect();
                assert!(thread.number > 0 || begins.len() > 5, "{}: {} pages", mpi.name, begins.len());
                assert_eq!(begins, ends, "thread {} under {}", thread.number, mpi.name);
            }
        }
    }
}
