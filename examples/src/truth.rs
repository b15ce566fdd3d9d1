//! Compares reports with a program's statements. [`crate::waits`] compares those about waiting.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::program::Program;
use crate::run::Run;
use crate::stated::{Expectation, Figure};

/// Compares a program's statements with its recording. Panics with all differences.
pub fn check(program: &Program, run: &Run, under: &str) {
    assert_none(differences(program, |by| run.report(by)), program, under);
}

/// Compares totals only: past the limit of signatures the recorder keeps no partners.
pub fn check_totals(program: &Program, run: &Run, under: &str) {
    let is_total = |expected: &Expectation| matches!(expected.what, Figure::Column(..));
    assert_none(compare(program, |by| run.report(by), is_total), program, under);
}

fn assert_none(wrong: Vec<String>, program: &Program, under: &str) {
    assert!(wrong.is_empty(), "{} under {under}:\n{}", program.name, wrong.join("\n"));
}

/// Exit status of `overhear check`: 0 but for these programs.
pub fn agreement(name: &str) -> i32 {
    match name {
        // A message to itself is never received.
        "errors" => 1,
        // Communicators made while two sessions are open are not matched.
        "sessions_at_once" => 1,
        // These end without MPI_Finalize.
        "jumps" | "killed_between" => 4,
        "cycle" | "knot" | "mismatch" | "missing" | "nonblocking" | "tag" => 4,
        _ => 0,
    }
}

/// Compares a program's statements with its reports by rank, peer and site. Returns the differences.
pub fn differences(program: &Program, report: impl Fn(&str) -> Answer) -> Vec<String> {
    compare(program, report, |_| true)
}

fn compare(program: &Program, report: impl Fn(&str) -> Answer, concerns: impl Fn(&Expectation) -> bool) -> Vec<String> {
    let [by_rank, by_peer, by_site] = ["rank", "peer", "site"].map(report);
    let mut wrong: Vec<String> = program
        .expectations
        .iter()
        .filter(|expected| concerns(expected))
        .filter_map(|expected| {
            let seen = match &expected.what {
                Figure::At(mark) => {
                    calls_at(&by_site, &expected.function, program.line_marked(mark, &expected.function))
                }
                _ => seen(expected, &by_rank, &by_peer),
            };
            (seen != expected.value).then(|| format!("{expected:?}, and the report says {seen}"))
        })
        .collect();
    wrong.extend(unstated(program, &by_rank));
    let languages = json!(program.languages.as_deref().unwrap_or("C"));
    let others = by_rank.rows("ranks").iter().filter(|rank| rank["languages"] != languages);
    wrong.extend(others.map(|rank| format!("called from {}, not {languages}", rank["languages"])));
    wrong
}

/// The report's value.
fn seen(expected: &Expectation, by_rank: &Answer, by_peer: &Answer) -> u64 {
    let function = ("function", json!(expected.function));
    match &expected.what {
        Figure::Column(column, None) => by_rank.sum("rank_functions", column, &[function]),
        Figure::Column(column, Some(rank)) => by_rank.sum("rank_functions", column, &[function, ("rank", json!(rank))]),
        Figure::At(_) => 0,
        Figure::Messages(from, to) => {
            by_peer.sum("peers", "calls", &[function, ("rank", json!(from)), ("peer", json!(to.to_string()))])
        }
    }
}

fn calls_at(by_site: &Answer, function: &str, line: usize) -> u64 {
    let end = format!(":{line})");
    let is_there =
        |row: &&Value| row["function"] == function && row["site"].as_str().is_some_and(|at| at.ends_with(&end));
    by_site.rows("sites").iter().filter(is_there).filter_map(|row| row["calls"].as_u64()).sum()
}

/// Functions that the report has and the program does not state.
fn unstated(program: &Program, by_rank: &Answer) -> Vec<String> {
    let always = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"].map(String::from);
    let stated = program.expectations.iter().map(|expected| expected.function.clone());
    let stated: BTreeSet<String> = stated.chain(program.also.iter().cloned()).chain(always).collect();
    let called = |row: &&Value| row["calls"].as_u64() != Some(0);
    let called = by_rank.rows("rank_functions").iter().filter(called).filter_map(|row| row["function"].as_str());
    let called: BTreeSet<&str> = called.collect();
    let unstated = called.into_iter().filter(|function| !stated.contains(*function));
    unstated.map(|function| format!("{function} is called, and the program does not say so")).collect()
}
