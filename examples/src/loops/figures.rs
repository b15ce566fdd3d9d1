//! Figures of the loops, as analyses see them.

use serde_json::{Value, json};

use super::Loop;
use super::loop_programs::Printed;
use crate::answer::Answer;
use crate::run::Run;

/// Allowed difference between trace and printed figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// 3 points.
    Points,
    /// 5 % or 0.1 µs, for figures in microseconds.
    Time,
    /// 5 %.
    Rate,
    /// The printed figure lies between two bounds, or at most 3 points outside: the trace's value is the nearest one
    /// between them.
    Bounds,
    /// The bounds are at most 20 points apart.
    Width,
}

impl Goal {
    pub fn holds(self, printed: f64, said: f64) -> bool {
        (printed - said).abs() <= self.allowed(printed)
    }

    /// The largest difference from a printed figure.
    pub fn allowed(self, printed: f64) -> f64 {
        match self {
            Goal::Points | Goal::Bounds => 3.0,
            Goal::Width => 20.0,
            Goal::Time => (0.05 * printed.abs()).max(0.1),
            Goal::Rate => 0.05 * printed.abs(),
        }
    }
}

/// Microseconds from which an operation takes far longer than reading clocks and recording.
const LONG: f64 = 10.0;
/// A ping-pong as rounds of one rank with one peer.
const ROUNDS: &str = "latency_us (rounds)";
/// The value of the mean's 95 % interval that is nearest to the printed one.
pub const INTERVAL: &str = "latency_us (interval)";
/// Bounds of the hidden share: they must hold the printed one, and be close together.
const HELD: &str = "overlap (bounds)";
const WIDTH: &str = "overlap (width)";

/// Answers of all analyses that a loop asks for.
pub struct Answers(Vec<Answer>);

/// A figure's name as the loop prints it, its goal, and the trace's value.
type Said = (&'static str, Goal, Option<f64>);

impl Answers {
    /// Runs the loop's analyses on a recording.
    pub fn of(run: &Run, of: &Loop) -> Answers {
        Answers(of.asked.iter().map(|words| run.ask(words[0], &words[1..])).collect())
    }

    /// The trace's values for the figures of a printed line.
    pub fn of_row(&self, row: &Printed) -> Vec<Said> {
        let (family, operation) = row.of.split_once('_').unwrap_or((&row.of, ""));
        match (family, operation) {
            ("smb", way) => self.smb(way, row.bytes),
            ("osu", "latency") => self.latency(row.bytes),
            ("osu", "bw" | "bibw") => self.bandwidth(operation, row.bytes),
            ("osu", "put_latency" | "put_bw") => self.one_sided("MPI_Put", operation, row),
            ("osu", "get_latency" | "get_bw") => self.one_sided("MPI_Get", operation, row),
            ("osu", _) if operation.starts_with('i') => self.osu_overlap(operation, row),
            ("osu", _) => self.collective(operation, row.bytes),
            ("imb", _) => self.imb_overlap(operation, row.bytes),
            _ => panic!("{row:?}: no such loop"),
        }
    }

    /// The only matching row, or the one with the most requests.
    fn found(&self, table: &str, values: &[(&str, Value)], count: &str) -> Option<&Value> {
        let rows = self.0[0].matching(table, values);
        rows.into_iter().max_by_key(|row| row[count].as_u64())
    }

    fn smb(&self, way: &str, bytes: u64) -> Vec<Said> {
        let found = self.found("messages", &[("traffic", json!(way)), ("size_bytes", json!(bytes))], "requests");
        vec![
            ("overhead_us", Goal::Time, micros(found, "smb_overhead_s")),
            ("base_us", Goal::Time, micros(found, "smb_base_s")),
            ("availability", Goal::Points, figure(found, "smb_availability_percent")),
        ]
    }

    fn latency(&self, bytes: u64) -> Vec<Said> {
        let found = self.found("sizes", &[("pattern", json!("ordered")), ("size_bytes", json!(bytes))], "count");
        // A root with one peer sends the next request right after the answer.
        let of = [("way", json!("round_trip")), ("size_bytes", json!(bytes)), ("ranks", json!(2))];
        let rounds = self.0[1].matching("rounds", &of);
        let round = rounds.into_iter().max_by_key(|row| row["rounds"].as_u64());
        vec![
            ("latency_us", Goal::Time, micros(found, "time_mean_s").map(|exchange| exchange / 2.0)),
            (ROUNDS, Goal::Time, micros(round, "until_next_mean_s").map(|round| round / 2.0)),
        ]
    }

    fn bandwidth(&self, loop_name: &str, bytes: u64) -> Vec<Said> {
        let pattern = if loop_name == "bw" { "window" } else { "crossing_windows" };
        let found = self.found("sizes", &[("pattern", json!(pattern)), ("size_bytes", json!(bytes))], "count");
        vec![("megabytes_a_second", Goal::Rate, figure(found, "bandwidth_mean_bytes").map(|bytes| bytes / 1e6))]
    }

    fn one_sided(&self, function: &str, operation: &str, row: &Printed) -> Vec<Said> {
        let of = [("function", json!(function)), ("size_bytes", json!(row.bytes))];
        let is_alone = operation.ends_with("_latency");
        let rows = self.0[0].matching("one_sided", &of);
        let found = rows.into_iter().find(|row| (row["transfers"] == 1) == is_alone);
        if !is_alone {
            return vec![(
                "megabytes_a_second",
                Goal::Rate,
                figure(found, "bandwidth_mean_bytes").map(|bytes| bytes / 1e6),
            )];
        }
        let [mean, least, most] = ["until_next_mean_s", "until_next_mean_least_s", "until_next_mean_most_s"]
            .map(|column| micros(found, column));
        let between = least.zip(most).map(|(least, most)| row.figure("latency_us").clamp(least, most));
        vec![("latency_us", Goal::Time, mean), (INTERVAL, Goal::Time, between)]
    }

    fn collective(&self, operation: &str, bytes: u64) -> Vec<Said> {
        // Each rank of MPI_Allgather receives from all ranks.
        let moved = if operation == "allgather" { 2 * bytes } else { bytes };
        let found = self.found(
            "operations",
            &[("function", json!(function(operation))), ("size_bytes", json!(moved))],
            "operations",
        );
        vec![
            ("mean_us", Goal::Time, micros(found, "osu_mean_s")),
            ("min_us", Goal::Time, micros(found, "osu_min_s")),
            ("max_us", Goal::Time, micros(found, "osu_max_s")),
        ]
    }

    fn nonblocking(&self, operation: &str, bytes: u64) -> Option<&Value> {
        let moved = if operation == "ialltoall" { 2 * bytes } else { bytes };
        let of = [("function", json!(function(operation))), ("size_bytes", json!(moved))];
        let rows = self.0[0].matching("collectives", &of);
        rows.into_iter().max_by_key(|row| row["requests"].as_u64())
    }

    fn osu_overlap(&self, operation: &str, row: &Printed) -> Vec<Said> {
        let found = self.nonblocking(operation, row.bytes);
        let mut said = vec![
            ("pure_us", Goal::Time, micros(found, "osu_pure_s")),
            ("overall_us", Goal::Time, micros(found, "osu_overall_s")),
            ("init_us", Goal::Time, micros(found, "osu_init_s")),
            ("wait_us", Goal::Time, micros(found, "osu_wait_s")),
            ("overlap", Goal::Points, figure(found, "osu_overlap_percent")),
        ];
        // In shorter operations the loop's own timers are part of its figure.
        if row.figure("pure_us") < LONG {
            return said;
        }
        let bounds = [figure(found, "hidden_least_percent"), figure(found, "hidden_most_percent")];
        let [Some(least), Some(most)] = bounds else { return said };
        said.push((HELD, Goal::Bounds, Some(row.figure("overlap").clamp(least, most))));
        said.push((WIDTH, Goal::Width, Some(most - least)));
        said
    }

    fn imb_overlap(&self, operation: &str, bytes: u64) -> Vec<Said> {
        let found = self.nonblocking(operation, bytes);
        vec![
            ("pure_us", Goal::Time, micros(found, "imb_pure_s")),
            ("overlapped_us", Goal::Time, micros(found, "imb_overlapped_s")),
            ("overlap", Goal::Points, figure(found, "imb_overlap_percent")),
        ]
    }
}

/// Makes `MPI_Allreduce` from `allreduce`.
fn function(operation: &str) -> String {
    let (first, rest) = operation.split_at(1);
    format!("MPI_{}{rest}", first.to_uppercase())
}

fn figure(row: Option<&Value>, column: &str) -> Option<f64> {
    row?[column].as_f64()
}

fn micros(row: Option<&Value>, column: &str) -> Option<f64> {
    figure(row, column).map(|seconds| seconds * 1e6)
}
