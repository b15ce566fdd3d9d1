//! What a program states of itself, and whether the report says the same. What it states of waiting is in [`crate::waits`].

use std::collections::BTreeSet;
use std::iter::{Product, Sum};
use std::str::FromStr;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::program::Program;
use crate::run::Run;

/// One figure that a program states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    what: What,
    function: String,
    value: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// A column of the breakdown by rank and function; of one rank or of all.
    Column(&'static str, Option<u32>),
    /// Calls of one rank that name another.
    Messages(u32, i32),
    /// Calls from the line of source that ends with this comment.
    At(String),
}

impl FromStr for Expectation {
    type Err = String;

    /// Reads `calls MPI_Send rank 0 = 3 * 10`, `messages MPI_Send 0 -> 1 = 10`, `calls MPI_Send at a mark = 10` and the like.
    fn from_str(text: &str) -> Result<Expectation, String> {
        let (left, right) = text.split_once('=').ok_or("it has no =")?;
        let words: Vec<&str> = left.split_whitespace().collect();
        let [what, function, rest @ ..] = words.as_slice() else { return Err("it names no function".into()) };
        let number = |word: &str| word.parse().map_err(|_| format!("{word} is no number"));
        let rank = match rest {
            [] => None,
            ["at", mark @ ..] if *what == "calls" => {
                let what = What::At(mark.join(" "));
                return Ok(Expectation { what, function: function.to_string(), value: evaluate(right)? });
            }
            ["rank", rank] => Some(number(rank)?),
            [from, "->", to] if *what == "messages" => {
                let to = to.parse().map_err(|_| format!("{to} is no rank"))?;
                let what = What::Messages(number(from)?, to);
                return Ok(Expectation { what, function: function.to_string(), value: evaluate(right)? });
            }
            _ => return Err(format!("{} is not understood", rest.join(" "))),
        };
        // A persistent request moves its bytes when it is started.
        let prepares = function.ends_with("_init") || function.ends_with("_init_c");
        let column = match *what {
            "sent" if prepares => "prepared_sent_bytes",
            "received" if prepares => "prepared_received_bytes",
            "calls" => "calls",
            "sent" => "sent_bytes",
            "received" => "received_bytes",
            "failed" => "failed_calls",
            "nested" => "nested_calls",
            _ => return Err(format!("nothing is called {what}")),
        };
        Ok(Expectation { what: What::Column(column, rank), function: function.to_string(), value: evaluate(right)? })
    }
}

/// The value of a sum of products.
pub(crate) fn evaluate<N: FromStr + Sum + Product>(text: &str) -> Result<N, String> {
    let factor = |word: &str| word.trim().parse::<N>().map_err(|_| format!("{} is no number", word.trim()));
    let product = |text: &str| text.split('*').map(factor).product::<Result<N, _>>();
    text.split('+').map(product).sum()
}

/// Compares what a program states with what was recorded of it. Panics at the differences, naming them all.
pub fn check(program: &Program, run: &Run, under: &str) {
    assert_none(differences(program, |by| run.report(by)), program, under);
}

/// The same for a run of which only totals were kept: with more different calls than there is room for, partners are not.
pub fn check_totals(program: &Program, run: &Run, under: &str) {
    let is_total = |expected: &Expectation| matches!(expected.what, What::Column(..));
    assert_none(compare(program, |by| run.report(by), is_total), program, under);
}

fn assert_none(wrong: Vec<String>, program: &Program, under: &str) {
    assert!(wrong.is_empty(), "{} under {under}:\n{}", program.name, wrong.join("\n"));
}

/// What `overhear check` returns of a program: all calls of all ranks have found their partners, but for some programs.
pub fn agreement(name: &str) -> i32 {
    match name {
        // A message goes to itself, and nobody receives it.
        "errors" => 1,
        // Communicators that are made while two sessions are open are not matched.
        "sessions_at_once" => 1,
        // They end without MPI_Finalize.
        "jumps" | "killed_between" => 4,
        _ => 0,
    }
}

/// Compares what a program states with its reports, by rank, peer and site, and returns the differences.
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
                What::At(mark) => calls_at(&by_site, &expected.function, program.line_marked(mark, &expected.function)),
                _ => expected.seen(&by_rank, &by_peer),
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

impl Expectation {
    fn seen(&self, by_rank: &Answer, by_peer: &Answer) -> u64 {
        let function = ("function", json!(self.function));
        match &self.what {
            What::Column(column, None) => by_rank.sum("rank_functions", column, &[function]),
            What::Column(column, Some(rank)) => {
                by_rank.sum("rank_functions", column, &[function, ("rank", json!(rank))])
            }
            What::At(_) => 0,
            What::Messages(from, to) => {
                by_peer.sum("peers", "calls", &[function, ("rank", json!(from)), ("peer", json!(to.to_string()))])
            }
        }
    }
}

/// Calls of a function from a line.
fn calls_at(by_site: &Answer, function: &str, line: usize) -> u64 {
    let end = format!(":{line})");
    let is_there =
        |row: &&Value| row["function"] == function && row["site"].as_str().is_some_and(|at| at.ends_with(&end));
    by_site.rows("sites").iter().filter(is_there).filter_map(|row| row["calls"].as_u64()).sum()
}

/// Functions that the report has calls of and the program says nothing about.
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
