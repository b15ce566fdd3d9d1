//! Each rank's breakdown, side by side or alone.

use super::programs;
use super::totals::{self, Group, percent, rank_value};
use crate::error::Error;
use crate::model::Run;
use crate::model::rank::function;
use crate::model::sums::Total;
use crate::report::{Column, Table, Value};

/// One row for each rank: its time, and how much of it in MPI.
pub fn overview(run: &Run) -> Table {
    let columns = vec![
        Column::new("rank", "rank"),
        Column::hidden("world"),
        Column::new("host", "host"),
        Column::hidden("pid"),
        Column::new("wall_time_s", "wall"),
        Column::new("mpi_time_s", "in MPI"),
        Column::new("mpi_share_percent", "share %"),
        Column::new("calls", "calls"),
        Column::new("threads", "threads"),
        Column::hidden("languages"),
        Column::hidden("file_bytes"),
        Column::hidden("finalized"),
        Column::hidden("program"),
    ];
    let row = |rank: &crate::model::Rank| {
        let (wall, mpi) = (rank.wall(), rank.time_in_mpi());
        vec![
            rank_value(rank),
            Value::Number(rank.header.world.into()),
            Value::Text(rank.process.host.clone()),
            Value::Number(rank.header.pid.into()),
            Value::Seconds(wall),
            Value::Seconds(mpi),
            percent(mpi, rank.wall_of_threads()),
            Value::Count(rank.entries().map(|entry| entry.count).total()),
            Value::Count(rank.thread_count() as u64),
            Value::Text(super::overview::in_words(&rank.languages)),
            Value::Bytes(rank.bytes),
            Value::Text(if matches!(rank.end, crate::model::End::Finalized) { "yes" } else { "no" }.into()),
            Value::Text(programs::command(rank)),
        ]
    };
    Table::new("ranks", "by rank", columns, run.asked().map(row).collect())
}

/// The most ranks that stand side by side in a table for people.
const SIDE_BY_SIDE: usize = 5;

/// Time by function and rank: tables of a few ranks side by side, the functions with the most time first.
pub fn side_by_side(run: &Run) -> Vec<Table> {
    let mut groups = by_function(run);
    groups.retain(|(_, group)| group.sum().calls > 0);
    let places: Vec<usize> = (0..run.ranks.len()).filter(|at| run.ranks[*at].is_asked).collect();
    let block = |places: &[usize]| {
        let mut columns = vec![Column::new("function", "{unit} in")];
        columns.extend(places.iter().map(|at| {
            let name = super::where_to::rank_in_words(&run.ranks[*at]);
            Column::new(format!("{}_s", name.replace(' ', "_")), name)
        }));
        let row = |(name, group): &(String, Group)| {
            let times = places.iter().map(|at| group.of(*at)).map(|totals| match totals.calls {
                0 => Value::None,
                _ => Value::Seconds(totals.time),
            });
            std::iter::once(Value::Text(name.clone())).chain(times).collect()
        };
        Table::new("side_by_side", "", columns, groups.iter().map(row).collect())
    };
    places.chunks(SIDE_BY_SIDE).map(block).collect()
}

/// Time, calls and bytes by rank and function: the same for programs, one row each.
pub fn rank_functions(run: &Run) -> Table {
    let columns = [
        "rank",
        "function",
        "time_s",
        "time_share_of_wall_percent",
        "calls",
        "sent_bytes",
        "received_bytes",
        "call_min_s",
        "call_max_s",
        "failed_calls",
        "nested_calls",
        "prepared_sent_bytes",
        "prepared_received_bytes",
        "engine_entries",
        "engine_productive_entries",
        "engine_s",
    ];
    let mut rows = Vec::new();
    for (name, group) in by_function(run) {
        for (at, rank) in run.ranks.iter().enumerate() {
            let totals = group.of(at);
            if totals.calls > 0 || totals.nested > 0 {
                rows.push(vec![
                    rank_value(rank),
                    Value::Text(name.clone()),
                    Value::Seconds(totals.time),
                    percent(totals.time, rank.wall()),
                    Value::Count(totals.calls),
                    Value::Bytes(totals.sent),
                    Value::Bytes(totals.received),
                    Value::Seconds(totals.shortest),
                    Value::Seconds(totals.longest),
                    Value::Count(totals.failed),
                    Value::Count(totals.nested),
                    Value::Bytes(totals.prepared.0),
                    Value::Bytes(totals.prepared.1),
                    Value::Count(totals.entries),
                    Value::Count(totals.productive),
                    Value::Seconds(totals.engine),
                ]);
            }
        }
    }
    let columns = columns.into_iter().map(Column::hidden).collect();
    Table::new("rank_functions", "", columns, rows)
}

/// One rank's breakdown by function.
pub fn alone(run: &Run, number: u32) -> Result<Table, Error> {
    let at = run.ranks.iter().position(|rank| rank.header.world == 0 && rank.number() == Some(number));
    let at = at.ok_or(Error::NoRank { rank: number, size: run.size() })?;
    let rank = &run.ranks[at];
    let columns = vec![
        Column::new("function", "function"),
        Column::new("time_s", "time"),
        Column::new("time_share_of_wall_percent", "of wall %"),
        Column::new("calls", "calls"),
        Column::new("call_min_s", "shortest").each(),
        Column::new("call_mean_s", "mean").each().spare(1),
        Column::new("call_max_s", "longest").each(),
        Column::new("bytes", "bytes"),
        Column::hidden("sent_bytes"),
        Column::hidden("received_bytes"),
        Column::hidden("failed_calls"),
    ];
    let mut groups = by_function(run);
    groups.retain(|(_, group)| group.of(at).calls > 0);
    groups.sort_by(|a, b| b.1.of(at).time.total_cmp(&a.1.of(at).time));
    let row = |(name, group): &(String, Group)| {
        let totals = group.of(at);
        vec![
            Value::Text(name.clone()),
            Value::Seconds(totals.time),
            percent(totals.time, rank.wall()),
            Value::Count(totals.calls),
            Value::Seconds(totals.shortest),
            Value::Seconds(totals.time / totals.calls as f64),
            Value::Seconds(totals.longest),
            Value::Bytes(totals.sent.saturating_add(totals.received)),
            Value::Bytes(totals.sent),
            Value::Bytes(totals.received),
            Value::Count(totals.failed),
        ]
    };
    let wall = crate::report::text::one(&Value::Seconds(rank.wall()));
    let title = format!("rank {number}, {wall}");
    Ok(Table::new("functions", title, columns, groups.iter().map(row).collect()))
}

fn by_function(run: &Run) -> Vec<(String, Group)> {
    let groups = totals::by(run, |_, _, entry| Some(function(&entry.signature)));
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|a, b| b.1.sum().time.total_cmp(&a.1.sum().time));
    groups
}
