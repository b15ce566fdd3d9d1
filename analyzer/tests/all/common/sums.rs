//! Sums of calls from a foreign reader and from `report`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::json;
use super::tables::{list, whole};

/// Calls and seconds by rank (in the reader's words) and function.
#[derive(Default)]
pub struct Sums(BTreeMap<(String, String), (u64, f64)>);

impl Sums {
    /// Adds a record, which may stand for several calls.
    pub fn add(&mut self, rank: String, function: String, call: &Value) {
        let lasted = whole(call, "end") - whole(call, "begin");
        let sum = self.0.entry((rank, function)).or_default();
        sum.0 += call["calls"].as_u64().unwrap_or(1);
        sum.1 += call["inside_ns"].as_u64().unwrap_or(lasted) as f64 / 1e9;
    }

    /// Compares the sums with the totals of `report`; `name` makes the reader's name from rank and world. Returns their number.
    pub fn compare(&self, run: &Path, name: impl Fn(&Value, &Value) -> String) -> usize {
        let mut said = BTreeMap::new();
        for row in list(&json(run, "rank"), "rank_functions").filter(|row| whole(row, "calls") > 0) {
            let of = (name(&row["rank"], &row["world"]), row["function"].as_str().unwrap().to_string());
            said.insert(of, (whole(row, "calls"), row["time_s"].as_f64().unwrap()));
        }
        assert!(self.0.keys().eq(said.keys()), "{}: {:?}\n{said:?}", run.display(), self.0);
        for ((of, read), said) in self.0.iter().zip(said.values()) {
            // Reader's times are whole nanoseconds, and ranks' clocks drift apart by some millionths.
            let near = (read.1 - said.1).abs() <= 1e-9 * said.0 as f64 + 1e-4 * said.1;
            assert!(read.0 == said.0 && near, "{}: {of:?}: {read:?} {said:?}", run.display());
        }
        said.len()
    }
}
