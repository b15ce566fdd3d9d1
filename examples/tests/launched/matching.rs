//! The ranks' files agree with each other: every sent message is received.

use std::collections::BTreeMap;

use crate::common::{case, in_rust, libraries, one_at_most, with_programs_in_rust};
use examples::answer::{Answer, WAIT_STATE, whole};
use examples::launch_turns::alone;
use examples::program::Program;
use examples::run::{Case, Run};
use serde_json::json;
use traces::read::{RankFile, Visitor, Walk};

/// Columns of the table of pairs, by sender and receiver.
fn pairs<const N: usize>(report: &Answer, columns: [&str; N]) -> BTreeMap<(u64, u64), [u64; N]> {
    let place = |row| (whole(row, "from_rank"), whole(row, "to_rank"));
    report.rows("pairs").iter().map(|row| (place(row), columns.map(|column| whole(row, column)))).collect()
}

#[test]
fn as_many_bytes_are_received_as_are_sent_between_every_two_ranks() {
    for mpi in one_at_most(with_programs_in_rust(), "matching") {
        let of = |name| Case::of(&Program::read(name), &mpi);
        let cases =
            [("integer_sort", in_rust("integer_sort", &mpi)), ("halo", of("persistent_halo")), ("ring", of("ring"))];
        for (name, case) in cases {
            let (output, run) = case.recorded(&format!("matched-{name}"));
            assert_eq!(output.status, 0, "{name} under {}: {}", mpi.name, output.stderr);
            let (check, matrix) = (run.ask("check", &[]), run.ask("matrix", &["--only", "messages"]));
            let received = pairs(&check, ["messages", "received_bytes"]);
            assert!(!received.is_empty(), "{name} under {}: {}", mpi.name, check.json);
            assert_eq!(received, pairs(&check, ["messages", "sent_bytes"]), "{name} under {}", mpi.name);
            // The matrix uses the senders' data alone.
            assert_eq!(received, pairs(&matrix, ["messages", "bytes"]), "{name} under {}", mpi.name);
            let total = |at: usize| received.values().map(|pair| pair[at]).sum::<u64>();
            let all = ["matched_messages", "received_bytes", "sent_bytes"].map(|fact| whole(&check.json["run"], fact));
            assert_eq!(all, [total(0), total(1), total(1)], "{name} under {}", mpi.name);
            assert_eq!(check.status, 0, "{name} under {}: {}", mpi.name, check.warnings());
        }
    }
}

/// Checks the planted findings in a run with a killed rank. The error describes what is wrong.
fn before_the_kill(run: &Run, stderr: &str) -> Result<(), String> {
    let (waits, check) = (run.ask("waits", &[]), run.ask("check", &[]));
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
    let calls = check.sum("unmatched", "calls", &[]);
    assert_eq!((found, calls), ([1; 4], 4), "{:#?}", check.rows("unmatched"));
    for what in ["message sent and not received", "receive whose message is unknown"] {
        assert!(waits.warnings().contains(what), "{}", waits.warnings());
    }
    let measured =
        stderr.lines().find_map(|line| line.strip_prefix("truth: wait late_sender rank 1 // receives <- rank 0 = "));
    let measured: f64 = measured.and_then(|seconds| seconds.trim().parse().ok()).unwrap_or_else(|| panic!("{stderr}"));
    let planted = [
        (WAIT_STATE, json!("late_sender")),
        ("rank", json!(1)),
        ("function", json!("MPI_Recv")),
        ("cause_rank", json!(0)),
        ("cause_function", json!("MPI_Send")),
    ];
    let found = waits.total("waits", "wait_s", &planted);
    match (found - measured).abs() <= 0.05 * measured {
        true => Ok(()),
        false => Err(format!("the program measured {measured} s, and {found} s are found")),
    }
}

#[test]
fn when_a_rank_is_killed_the_others_waits_before_that_are_told_and_what_is_unmatched() {
    let _alone = alone();
    for mpi in libraries() {
        let attempt = |_| {
            let (output, run) = case("killed_between", &mpi, 3, &[]).recorded("killed-between");
            before_the_kill(&run, &output.stderr).err()
        };
        let wrong: Vec<String> = (0..crate::common::ATTEMPTS).map_while(attempt).collect();
        assert!(wrong.len() < crate::common::ATTEMPTS, "{}: {wrong:#?}", mpi.name);
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
