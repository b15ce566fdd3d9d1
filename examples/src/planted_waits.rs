//! Planted waits: compares a program's statements and own measurements with `overhear waits`.
//!
//! Stated, in the program's first lines; seconds are a sum of products:
//!
//! ```text
//! // expect: wait STATE rank RANK = SECONDS at FUNCTION // MARK <- rank CAUSE FUNCTION // MARK
//! // expect: wait elsewhere < SHARE
//! ```
//!
//! A mark is the comment at the end of the line of source with the call: rank RANK waited at the first for rank CAUSE
//! to reach the second. SHARE limits all unstated waiting, as a share of the time of all ranks; 0.01 by default.
//!
//! Measured, on the program's standard error, since a sleeper on a busy machine oversleeps:
//!
//! ```text
//! truth: wait STATE rank RANK // MARK <- rank CAUSE = SECONDS
//! ```

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::answer::{Answer, WAIT_STATE, WAIT_STATES, number};
use crate::program::Program;
use crate::stated::{MarkedCall, Wait};

/// Allowed relative difference between the finding and the program's measurement.
const OF_MEASURED: f64 = 0.05;
/// Shares of its statement that the program may measure: beyond them, it did not do its job. A sleeper on a busy machine
/// oversleeps, which then is a wait like any other.
const OF_STATED: RangeInclusive<f64> = 0.85..=2.0;
/// Default share of all ranks' time that unstated waits may take.
const ELSEWHERE: f64 = 0.01;

/// Seconds that the program measured for a wait.
fn measured(wait: &Wait, stderr: &str) -> Option<f64> {
    let seconds = |line: &str| line.strip_prefix(&format!("truth: wait {wait} = "))?.trim().parse().ok();
    stderr.lines().find_map(seconds)
}

fn is_of(wait: &Wait, row: &Value, program: &Program) -> bool {
    let site = |place: &MarkedCall| json!(format!("{}.c:{}", program.name, line(place, program)));
    row[WAIT_STATE] == json!(wait.state)
        && row["rank"] == json!(wait.waiting.rank)
        && row["function"] == json!(wait.waiting.function)
        && row["site"] == site(&wait.waiting)
        && row["cause_rank"] == json!(wait.cause.rank)
        && row["cause_function"] == json!(wait.cause.function)
        && row["cause_site"] == site(&wait.cause)
}

fn line(call: &MarkedCall, program: &Program) -> usize {
    program.line_marked(&call.mark, &call.function)
}

/// A stated wait, with the program's measurement and the finding, in seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Text of the statement.
    pub wait: String,
    /// Stated seconds.
    pub stated: f64,
    /// Seconds the program measured.
    pub measured: Option<f64>,
    /// Seconds of `overhear waits`.
    pub found: f64,
}

/// Looks up each stated wait.
///
/// `stderr` is the program's output while it was recorded, `said` the answer of `overhear waits`.
pub fn findings(program: &Program, stderr: &str, said: &Answer) -> Vec<Finding> {
    let finding = |wait: &Wait| {
        let rows = said.rows("waits").iter().filter(|row| is_of(wait, row, program));
        let found = rows.map(|row| number(row, "wait_s")).sum();
        Finding { wait: wait.to_string(), stated: wait.seconds, measured: measured(wait, stderr), found }
    };
    program.waits.iter().map(finding).collect()
}

/// Compares a program's statements and measurements with `overhear waits`, and returns the differences.
///
/// Takes the arguments of [`findings`].
pub fn differences(program: &Program, stderr: &str, said: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut stated_s = 0.0;
    for Finding { wait, stated, measured, found } in findings(program, stderr, said) {
        stated_s += found;
        let Some(measured) = measured else {
            wrong.push(format!("{wait}: the program did not say what it measured: {stderr}"));
            continue;
        };
        if !OF_STATED.contains(&(measured / stated)) {
            wrong.push(format!("{wait}: {stated} s are stated, and the program measured {measured} s"));
        }
        if !is_near(found, measured, OF_MEASURED) {
            wrong.push(format!("{wait}: the program measured {measured} s, and {found} s are found"));
        }
    }
    let all = TotalWait::of(said.rows(WAIT_STATES));
    let elsewhere = (all.wait_s - stated_s) / all.run_s;
    if elsewhere > program.elsewhere.unwrap_or(ELSEWHERE) {
        wrong.push(format!("{elsewhere:.4} of the run is waited where nothing is stated"));
    }
    if !wrong.is_empty() {
        wrong.extend(said.rows("waits").iter().take(20).map(|row| format!("  found: {row}")));
    }
    wrong
}

fn is_near(value: f64, other: f64, share: f64) -> bool {
    (value - other).abs() <= share * other
}

/// Sums of the table of wait states, in seconds.
struct TotalWait {
    /// All states together.
    wait_s: f64,
    /// Time of all ranks together.
    run_s: f64,
}

impl TotalWait {
    fn of(rows: &[Value]) -> TotalWait {
        let wait_s = |row: &Value| number(row, "wait_s");
        // The largest share has the smallest rounding error.
        let largest = rows.iter().max_by(|one, other| wait_s(one).total_cmp(&wait_s(other)));
        let run_s = largest.map_or(0.0, |row| wait_s(row) * 100.0 / number(row, "wait_percent"));
        TotalWait { wait_s: rows.iter().map(wait_s).sum(), run_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences for wrong_order, if `overhear waits` found this much of the second wait and this much elsewhere.
    fn found(second_s: f64, elsewhere_s: f64) -> Vec<String> {
        let program = Program::read("wrong_order");
        let row = |wait: &Wait, wait_s: f64| {
            let site = |place: &MarkedCall| format!("wrong_order.c:{}", line(place, &program));
            json!({
                WAIT_STATE: "wrong_order", "rank": 0, "function": "MPI_Recv", "site": site(&wait.waiting),
                "cause_rank": 1, "cause_function": "MPI_Send", "cause_site": site(&wait.cause), "wait_s": wait_s,
            })
        };
        let [first, second] = &program.waits[..] else { panic!("it states two") };
        let state = |state, wait_s: f64| json!({WAIT_STATE: state, "wait_s": wait_s, "wait_percent": wait_s * 50.0});
        let json = json!({
            WAIT_STATES: [state("wrong_order", 0.3 + second_s), state("late_sender", elsewhere_s)],
            "waits": [row(first, 0.3), row(second, second_s)],
        });
        let measured = "truth: wait wrong_order rank 0 // waits <- rank 1 = 0.301\n\
            truth: wait wrong_order rank 0 // waits again <- rank 1 = 0.302\n";
        differences(&program, measured, &Answer { status: 0, json })
    }

    #[test]
    fn what_is_found_as_it_is_stated_makes_no_difference() {
        assert_eq!(found(0.29, 0.015), Vec::<String>::new());
    }

    #[test]
    fn too_little_found_and_too_much_elsewhere_are_told_apart() {
        let little = found(0.28, 0.0);
        assert!(little[0].ends_with("measured 0.302 s, and 0.28 s are found"), "{little:?}");
        let much = found(0.3, 0.03);
        assert_eq!(much[0], "0.0150 of the run is waited where nothing is stated");
    }
}
