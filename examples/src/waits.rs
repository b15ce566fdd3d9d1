//! The waiting that a program plants: what it states, what it measured, and whether `overhear waits` says the same.
//!
//! Stated, in the program's first lines; seconds are a sum of products:
//!
//! ```text
//! // expect: wait STATE rank RANK = SECONDS at FUNCTION // MARK <- rank CAUSE FUNCTION // MARK
//! // expect: wait elsewhere < SHARE
//! ```
//!
//! A mark is the comment at the end of the line of source that has the call: rank RANK waited at the first, for rank
//! CAUSE to come to the second. SHARE is what all waiting that is not stated may take of the time of all ranks; where
//! nothing is said of it, 0.01.
//!
//! Measured, as the program says on its standard error, since who sleeps on a busy machine oversleeps:
//!
//! ```text
//! truth: wait STATE rank RANK // MARK <- rank CAUSE = SECONDS
//! ```

use serde_json::{Value, json};

use crate::answer::{Answer, WAIT_STATE, WAIT_STATES, number};
use crate::program::Program;
use crate::stated::{MarkedCall, Wait};

/// How far what is found may be from what the program measured.
const OF_MEASURED: f64 = 0.05;
/// How far what the program measured may be from what it states: further, and it did not do what it is to do.
const OF_STATED: f64 = 0.15;
/// Share of the time of all ranks that may be waited elsewhere, where the program does not say.
const ELSEWHERE: f64 = 0.01;

/// What the program measured of a wait.
fn measured(wait: &Wait, stderr: &str) -> Option<f64> {
    let seconds = |line: &str| line.strip_prefix(&format!("truth: wait {wait} = "))?.trim().parse().ok();
    stderr.lines().find_map(seconds)
}

/// Whether a row of the table of waits tells of a wait.
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

/// The line of source that a call stands on.
fn line(call: &MarkedCall, program: &Program) -> usize {
    program.line_marked(&call.mark, &call.function)
}

/// One stated wait, with what the program measured of it and what was found. Seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// As the program writes it.
    pub wait: String,
    /// What it states.
    pub stated: f64,
    /// What it said it measured.
    pub measured: Option<f64>,
    /// What `overhear waits` says.
    pub found: f64,
}

/// What became of each wait that a program states.
///
/// `stderr` is what the program wrote while it was recorded, `said` the command's answer.
pub fn findings(program: &Program, stderr: &str, said: &Answer) -> Vec<Finding> {
    let finding = |wait: &Wait| {
        let rows = said.rows("waits").iter().filter(|row| is_of(wait, row, program));
        let found = rows.map(|row| number(row, "wait_s")).sum();
        Finding { wait: wait.to_string(), stated: wait.seconds, measured: measured(wait, stderr), found }
    };
    program.waits.iter().map(finding).collect()
}

/// Compares what a program states and measured with what `overhear waits` says, and returns the differences.
///
/// In: as for [`findings`].
pub fn differences(program: &Program, stderr: &str, said: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut stated_s = 0.0;
    for Finding { wait, stated, measured, found } in findings(program, stderr, said) {
        stated_s += found;
        let Some(measured) = measured else {
            wrong.push(format!("{wait}: the program did not say what it measured: {stderr}"));
            continue;
        };
        if !is_near(measured, stated, OF_STATED) {
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

/// What the table of wait states says in all.
struct TotalWait {
    /// In all states.
    wait_s: f64,
    /// Time of all ranks together.
    run_s: f64,
}

impl TotalWait {
    fn of(rows: &[Value]) -> TotalWait {
        let wait_s = |row: &Value| number(row, "wait_s");
        // The largest share was rounded least.
        let largest = rows.iter().max_by(|one, other| wait_s(one).total_cmp(&wait_s(other)));
        let run_s = largest.map_or(0.0, |row| wait_s(row) * 100.0 / number(row, "wait_percent"));
        TotalWait { wait_s: rows.iter().map(wait_s).sum(), run_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the command would say of wrong_order, had it found this much of the second wait and so much elsewhere.
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
