//! The call paths of two runs as frames of one picture: each as wide as its time in both.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::frames::FRAMES;
use super::{PathSums, RunPaths};
use crate::totals::{percent, seconds};
use model::sites::short_function;
use tables::{Column, Row, Table};

/// A function on the way to calls of MPI, in two runs. Times in seconds.
pub struct FramePairRow {
    path: u32,
    caller: Option<u32>,
    function: String,
    a: PathSums,
    b: PathSums,
    share: Option<f64>,
    /// False if waits are unknown in one of the runs.
    has_waits: bool,
}

impl FramePairRow {
    fn both(&self) -> i64 {
        self.a.time.saturating_add(self.b.time)
    }

    fn more(&self) -> i64 {
        self.b.time.saturating_sub(self.a.time)
    }

    fn waited(&self, sums: &PathSums) -> Option<f64> {
        self.has_waits.then(|| seconds(sums.waited))
    }
}

impl Row for FramePairRow {
    const TABLE: &'static str = "path_pairs";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::id("path", "path", |row: &Self| row.path),
            Column::id("caller_path", "caller", |row: &Self| row.caller),
            Column::text("function", "function", |row: &Self| row.function.clone()),
            Column::seconds("a_s", "in MPI in A", |row: &Self| seconds(row.a.time)),
            Column::seconds("b_s", "in MPI in B", |row: &Self| seconds(row.b.time)),
            Column::seconds("difference_s", "B - A", |row: &Self| seconds(row.more())),
            Column::percent("difference_share_percent", "difference to the sum %", |row: &Self| {
                percent(row.more() as f64, row.both() as f64)
            }),
            Column::seconds("a_wait_s", "waiting in A", |row: &Self| row.waited(&row.a)),
            Column::seconds("b_wait_s", "waiting in B", |row: &Self| row.waited(&row.b)),
            Column::count("a_calls", "calls in A", |row: &Self| row.a.calls),
            Column::count("b_calls", "calls in B", |row: &Self| row.b.calls),
            Column::seconds("time_total_s", "in both", |row: &Self| seconds(row.both())),
            Column::percent("time_share_percent", "share of all %", |row: &Self| row.share),
        ]
    }
}

/// Joins functions that the same functions lead to into one frame, whatever lines call them: lines differ between versions of a
/// program. `renamed` has functions of A with their names in B.
pub fn frame_pairs(a: &RunPaths, b: &RunPaths, renamed: &BTreeMap<String, String>) -> Table<FramePairRow> {
    let has_waits = a.has_waits && b.has_waits;
    let mut numbers: HashMap<(Option<u32>, String), u32> = HashMap::new();
    let mut rows: Vec<FramePairRow> = Vec::new();
    for (paths, is_b) in [(a, false), (b, true)] {
        let mut number_of: Vec<u32> = Vec::new();
        for (node, at) in paths.tree.nodes.iter().zip(0..) {
            let caller = node.parent.map(|parent| number_of[parent as usize]);
            let own = short_function(&node.function);
            let function = renamed.get(&own).filter(|_| !is_b).cloned().unwrap_or(own);
            let number = *numbers.entry((caller, function.clone())).or_insert(rows.len() as u32);
            if number as usize == rows.len() {
                let [a, b] = [PathSums::default(); 2];
                rows.push(FramePairRow { path: number, caller, function, a, b, share: None, has_waits });
            }
            number_of.push(number);
            let row = &mut rows[number as usize];
            let side = if is_b { &mut row.b } else { &mut row.a };
            side.add(&paths.total(at));
        }
    }
    let whole = a.whole.time.saturating_add(b.whole.time);
    rows.retain(|row| row.a.calls > 0 || row.b.calls > 0);
    // A caller has at least the time of its callees, and a lower number.
    rows.sort_by_key(|row| (Reverse(row.both()), row.path));
    rows.truncate(FRAMES);
    for row in &mut rows {
        row.share = percent(row.both() as f64, whole as f64);
    }
    Table::new("", rows)
}
