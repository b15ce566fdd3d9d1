//! A recorder that keeps only the newest has exact totals, and the newest calls in the order they were made.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{case, two_families, under_each};
use examples::answer::{Answer, WAIT_STATE};
use examples::mpi::Mpi;
use examples::run::{Case, Run, fresh_folder};
use examples::running::{Running, says_it_hangs};
use serde_json::json;
use traces::calls::Call;
use traces::read::{RankFile, Visitor, walk};

/// The functions of a rank's kept records, in order.
struct Functions<'a> {
    of: &'a [u16],
    made: Vec<u16>,
}

impl Visitor for Functions<'_> {
    fn call(&mut self, signature: u32, _: u64, _: u64) {
        self.made.push(self.of[signature as usize]);
    }
}

/// The functions that a rank's file has kept, and the number of calls that it has dropped.
fn kept(run: &Run, rank: u32) -> (Vec<u16>, u64) {
    let file = RankFile::open(&run.folder.join(format!("rank-{rank:04}.ovh"))).unwrap();
    let contents = file.contents();
    let thread = &contents.threads[0];
    let of = thread.signatures.by_number(0, |signature, _| signature.call);
    let mut functions = Functions { of: &of, made: Vec::new() };
    for page in &thread.pages {
        walk(page, &mut functions).unwrap();
    }
    (functions.made, thread.dropped.map_or(0, |dropped| dropped.head.calls))
}

/// The functions that a rank of `kept.c` calls, without the queries that are not recorded.
fn truth(rank: u32, rounds: u64) -> Vec<u16> {
    let mut calls = vec![Call::Init_thread];
    if rank == 0 {
        calls.push(Call::Irecv);
    }
    for round in 0..rounds {
        calls.extend([Call::Irecv, Call::Isend, Call::Waitall]);
        calls.extend([Call::Bcast; 20]);
        if round % 4 == 3 {
            calls.push(Call::Allreduce);
        }
    }
    calls.push(if rank == 0 { Call::Wait } else { Call::Send });
    calls.push(Call::Finalize);
    calls.iter().map(|call| call.number()).collect()
}

fn program<'a>(mpi: &'a Mpi, rounds: u64, late: u64, end: &str, keep: &str) -> (Case<'a>, String) {
    let counter = fresh_folder(&format!("{}-keeps-counter-{end}", mpi.name)).to_string_lossy().into_owned();
    let (rounds, late) = (rounds.to_string(), late.to_string());
    let case = case("kept", mpi, 2, &[rounds.as_str(), late.as_str(), counter.as_str(), end]);
    (case.with("OVERHEAR_KEEP", keep), counter)
}

/// Calls of a rank by function, as the report has them.
fn calls(report: &Answer, rank: u32, call: Call) -> u64 {
    report.sum("rank_functions", "calls", &[("function", json!(call.mpi_name())), ("rank", json!(rank))])
}

fn assert_totals(report: &Answer, rank: u32, truth: &[u16], name: &str) {
    for call in [Call::Irecv, Call::Isend, Call::Waitall, Call::Bcast, Call::Allreduce, Call::Wait, Call::Send] {
        let made = truth.iter().filter(|function| **function == call.number()).count() as u64;
        assert_eq!(calls(report, rank, call), made, "{name}, rank {rank}: {}", call.mpi_name());
    }
}

const ROUNDS: u64 = 20_000;
/// The longest time until the program hangs.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn totals_are_of_all_calls_and_the_kept_ones_are_the_last() {
    under_each(&two_families(), |mpi| {
        // By time, the run takes six seconds: each round is late.
        for (keep, rounds, late) in [("last:4M", ROUNDS, 0), ("last:1s", 300, 300)] {
            let (case, _) = program(mpi, rounds, late, "", keep);
            let (output, run) = case.recorded(&format!("keeps-{}", &keep[5..]));
            let name = format!("{keep} under {}", mpi.name);
            assert_eq!(output.status, 0, "{name}: {}", output.stderr);
            let report = run.report("rank");
            for rank in 0..2 {
                let truth = truth(rank, rounds);
                let (made, dropped) = kept(&run, rank);
                assert!(dropped > 0 && !made.is_empty(), "{name}: {dropped} dropped");
                assert_eq!(made.len() as u64 + dropped, truth.len() as u64, "{name}");
                assert!(truth.ends_with(&made), "{name}: the last calls, in order");
                assert_totals(&report, rank, &truth, &name);
            }
            let of_time = report.fact("recorded_s");
            assert!(report.fact("kept_s") < of_time && report.fact("dropped_calls") > 0.0, "{name}");
            let is_small = |file: &PathBuf| fs::metadata(file).unwrap().len() <= 4 << 20;
            assert!(keep != "last:4M" || run.files().iter().all(is_small), "{name}");
        }
    });
}

#[test]
fn waits_of_the_kept_time_are_found_though_ranks_begin_at_different_calls() {
    under_each(&two_families(), |mpi| {
        let (case, _) = program(mpi, ROUNDS, 100, "", "last:4M");
        let (output, run) = case.recorded("keeps-waits");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let waits = run.ask("waits", &[]);
        let late = [(WAIT_STATE, json!("late_sender")), ("rank", json!(0)), ("cause_rank", json!(1))];
        let seconds = waits.total("waits", "wait_s", &late);
        // 100 sends come 20 ms late each.
        assert!(seconds > 0.8 * 2.0, "{}: {seconds} s\n{}", mpi.name, waits.json);
        let check = run.ask("check", &[]);
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.json);
    });
}

#[test]
fn a_rank_killed_while_it_drops_pages_leaves_each_call_once() {
    under_each(&two_families(), |mpi| {
        let (case, counter) = program(mpi, 2 * ROUNDS, 0, "killed", "last:4M");
        let (_, run) = case.recorded("keeps-killed");
        let completed = u64::from_le_bytes(fs::read(&counter).unwrap()[..8].try_into().unwrap());
        let (made, dropped) = kept(&run, 0);
        let truth = truth(0, 2 * ROUNDS);
        let recorded = dropped as usize + made.len();
        assert!(dropped > 0 && truth[..recorded].ends_with(&made), "{}", mpi.name);
        let report = run.report("rank");
        let of =
            [Call::Irecv, Call::Isend, Call::Waitall, Call::Bcast, Call::Allreduce].map(|call| calls(&report, 0, call));
        let reported: u64 = of.iter().sum();
        // The program counts a call after it has returned: one more may be recorded than counted, or open.
        assert!((completed..=completed + 1).contains(&reported), "{}: {reported} of {completed}", mpi.name);
    });
}

#[test]
fn a_hang_is_found_with_a_request_that_began_in_what_was_dropped() {
    under_each(&two_families(), |mpi| {
        let (case, _) = program(mpi, ROUNDS, 0, "waiting", "last:4M");
        let running = Running::begin("keeps-hang", &case);
        let began = Instant::now();
        let hung = loop {
            // On its way to the hang, while pages are taken again, it must not be accused.
            let answer = running.look();
            match answer.filter(says_it_hangs) {
                Some(answer) => break answer,
                None => assert!(began.elapsed() < LIMIT, "{}: no hang was found", mpi.name),
            }
            sleep(Duration::from_millis(200));
        };
        let said = hung.json.to_string();
        assert!(said.contains("MPI_Recv") && said.contains("MPI_Barrier"), "{}: {said}", mpi.name);
        assert!(hung.fact("dropped_calls") > 0.0, "{}", mpi.name);
    });
}

#[test]
fn calls_of_many_threads_are_all_counted_while_pages_are_taken_again() {
    under_each(&two_families(), |mpi| {
        let case = case("many_calls", mpi, 2, &["8", "150000"]).with("OVERHEAR_KEEP", "last:4M");
        let (output, run) = case.recorded("keeps-threads");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let made: u64 = output.stdout.lines().filter_map(|line| line.strip_prefix("made ")?.parse::<u64>().ok()).sum();
        let report = run.report("rank");
        let of = |function: &str| report.sum("rank_functions", "calls", &[("function", json!(function))]);
        assert_eq!((made, of("MPI_Send") + of("MPI_Recv")), (2 * 8 * 150_000, made), "{}", mpi.name);
        for file in run.files() {
            assert!(fs::metadata(&file).unwrap().len() <= 4 << 20, "{}", mpi.name);
            let trace = RankFile::open(&file).unwrap();
            let dropped = trace.contents().threads.iter().filter(|thread| thread.dropped.is_some()).count();
            assert!(dropped > 1, "{}: pages of {dropped} threads were dropped", mpi.name);
        }
    });
}
