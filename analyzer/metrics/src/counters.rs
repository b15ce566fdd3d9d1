//! Events that the system counted for each rank, as `record --counters` asks for.

use std::collections::BTreeMap;

use super::totals::world_rank;
use crate::meaning;
use model::Run;
use tables::{Column, Row, Table, WorldRank};

/// An event that was counted for a rank.
pub struct CounterRow {
    rank: WorldRank,
    event: String,
    count: u64,
    per_second: f64,
    per_cycle: Option<f64>,
    share: f64,
}

impl Row for CounterRow {
    const TABLE: &'static str = "counters";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::text("event", "event", |row: &Self| row.event.clone()).means("The event, by perf's name."),
            Column::count("count", "count", |row: &Self| row.count).means(
                "How often it happened in the thread that initialized MPI, between the end of MPI_Init and the start of MPI_Finalize; \
                 of task-clock, nanoseconds.",
            ),
            Column::ratio("per_second", "a second", |row: &Self| row.per_second).means("The same for each second."),
            Column::ratio("per_cycle", "a cycle", |row: &Self| row.per_cycle)
                .means("The same for each of the rank's cycles, if these were counted.")
                .silent_empty(),
            Column::percent("counted_percent", "", |row: &Self| 100.0 * row.share).means(
                "Share of the thread's processor time in which the event had a counter; below 100 where there are fewer counters than events, \
                 and the count is scaled.",
            ),
        ]
    }
}

/// One row for each rank and event; `None` if nothing was counted.
pub fn table(run: &Run) -> Option<Table<CounterRow>> {
    let mut rows = Vec::new();
    for rank in run.asked() {
        let counted = rank.counted();
        let cycles = counted.iter().find(|event| event.name == "cycles").map(|event| event.count);
        for event in &counted {
            let per_cycle = cycles.filter(|cycles| *cycles > 0 && event.name != "cycles");
            rows.push(CounterRow {
                rank: world_rank(rank),
                event: event.name.to_string(),
                count: event.count,
                per_second: if event.wall > 0.0 { event.count as f64 / event.wall } else { 0.0 },
                per_cycle: per_cycle.map(|cycles| event.count as f64 / cycles as f64),
                share: event.share,
            });
        }
    }
    (!rows.is_empty()).then(|| Table::new("what was counted", rows))
}

/// Sentences on the events that could not be counted, one for each reason.
pub fn problems(run: &Run) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in run.asked().flat_map(|rank| &rank.asked_events).filter(|event| !event.problem.is_empty()) {
        let names = reasons.entry(&event.problem).or_default();
        if !names.contains(&event.name.as_str()) {
            names.push(&event.name);
        }
    }
    reasons.into_iter().map(|(reason, names)| format!("not counted: {} ({reason})", names.join(", "))).collect()
}
