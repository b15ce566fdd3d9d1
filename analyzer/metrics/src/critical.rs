//! The critical path by place: the calls, and the computation between them, that set the run's length.

use rustc_hash::FxHashMap;

use super::totals::{percent, seconds, world_rank};
use super::words::plural;
use crate::meaning;
use model::Run;
use model::critical::{PathSegment, PathSite, Time};
use model::sums::{Grow, Total};
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};

/// The most rows that people are shown of each table.
const ROWS: usize = 15;

facts! {
    PATH = "path_s", Seconds, always, "The length of the critical path.";
    IN_MPI = "path_in_mpi_s", Seconds, always, "The part of the critical path that lies in MPI calls.";
    JUMPS = "path_jumps", Count, always, "How often the critical path goes from one rank to another.";
}

/// The length of the path, its part in MPI, and how often it changes ranks.
pub fn facts(path: &[PathSegment], places: &FxHashMap<PathSite, Time>) -> Vec<Fact> {
    let length: i64 = path.iter().map(|stretch| stretch.to - stretch.from).total();
    let in_mpi: i64 =
        places.iter().filter(|(place, _)| place.in_mpi).flat_map(|(_, time)| time.on_path.values().copied()).total();
    let mut ranks: Vec<u32> = path.iter().map(|stretch| stretch.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let share = 100.0 * in_mpi as f64 / (length as f64).max(1.0);
    vec![
        Fact::new(PATH, "path", Value::Seconds(seconds(length))).note(format!(
            ", {share:.1} % of it in MPI, over {}, from one to another {}",
            plural(ranks.len() as u64, "rank"),
            plural(path.len().saturating_sub(1) as u64, "time")
        )),
        Fact::hidden(IN_MPI, Value::Seconds(seconds(in_mpi))),
        Fact::hidden(JUMPS, Value::Count(path.len().saturating_sub(1) as u64)),
    ]
}

/// A call, or the computation before it, on the critical path. Times in nanoseconds.
///
/// A call saves at most its time on the path; computation saves at most its time there less the mean rank's, as if it
/// were spread evenly.
pub struct PathRow {
    name: String,
    site: String,
    on_path: i64,
    share: Option<f64>,
    rank: WorldRank,
    of_rank: i64,
    mean: i64,
    saves: i64,
}

impl Row for PathRow {
    const TABLE: &'static str = "path";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("where", "on the path", |row: &Self| row.name.clone())
                .means("The function, or computation between two calls."),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::seconds("path_s", "time", |row: &Self| seconds(row.on_path))
                .means("Time of the critical path there."),
            Column::percent("path_percent", "%", |row: &Self| row.share).means("Share of the critical path."),
            Column::rank("rank", "most", |row: &Self| row.rank).means("The rank that has the most of it."),
            Column::seconds("rank_s", "", |row: &Self| seconds(row.of_rank))
                .means("That rank's time there, on the path and off it."),
            Column::seconds("mean_s", "", |row: &Self| seconds(row.mean))
                .means("The time there of a rank in the mean."),
            Column::seconds("saves_s", "saves", |row: &Self| seconds(row.saves))
                .means(
                    "What the run would be shorter at most if this took no more than it takes the mean rank; of computation, \
                     no more than an even spread of all computation would save.",
                ),
        ]
    }
}

/// One row for each place on the path, the longest first. `uneven`: the longest rank's computation less the mean rank's, seconds.
/// Computation at one place cannot save more. The mean at that place is too low a bound where ranks at a border of the grid
/// continue at other lines.
pub fn table(run: &Run, places: &FxHashMap<PathSite, Time>, uneven: f64) -> Table<PathRow> {
    let most_saved = (uneven * 1e9) as i64;
    let all: i64 = places.values().flat_map(|time| time.on_path.values().copied()).total();
    let row = |(place, time): (&PathSite, &Time)| {
        let on_path: i64 = time.on_path.values().copied().total();
        let (rank, most) = time.on_path.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)))?;
        let mean = time.total / run.asked().count().max(1) as i64;
        let function = &place.place.function;
        let name = match (place.in_mpi, time.is_open) {
            (true, true) => format!("{function} (open)"),
            (true, false) => function.clone(),
            (false, _) => format!("before {function}"),
        };
        Some(PathRow {
            name,
            site: place.place.site.clone(),
            on_path,
            share: percent(on_path as f64, all as f64),
            rank: world_rank(&run.ranks[*rank as usize]),
            of_rank: *most,
            mean,
            saves: if place.in_mpi { on_path } else { on_path.saturating_sub(mean).clamp(0, most_saved.max(0)) },
        })
    };
    let mut rows: Vec<PathRow> = places.iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.on_path.cmp(&a.on_path).then_with(|| (&a.name, &a.site).cmp(&(&b.name, &b.site))));
    Table::new("computation and calls that set the run's length", rows).most(ROWS)
}

pub struct PathRankRow {
    rank: WorldRank,
    on_path: i64,
    share: Option<f64>,
}

impl Row for PathRankRow {
    const TABLE: &'static str = "ranks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("path_s", "{unit} on the path", |row: &Self| seconds(row.on_path))
                .means("Time of the critical path on this rank."),
            Column::percent("path_percent", "%", |row: &Self| row.share).means("Share of the critical path."),
        ]
    }
}

/// Time on the path by rank, the longest first.
pub fn ranks(run: &Run, path: &[PathSegment]) -> Table<PathRankRow> {
    let mut times: FxHashMap<u32, i64> = FxHashMap::default();
    for stretch in path {
        times.entry(stretch.rank).or_default().grow(stretch.to - stretch.from);
    }
    let all: i64 = times.values().copied().total();
    let mut times: Vec<(u32, i64)> = times.into_iter().collect();
    times.sort_by_key(|(rank, time)| (std::cmp::Reverse(*time), *rank));
    let row = |(rank, on_path): (u32, i64)| PathRankRow {
        rank: world_rank(&run.ranks[rank as usize]),
        on_path,
        share: percent(on_path as f64, all as f64),
    };
    Table::new("", times.into_iter().map(row).collect()).most(ROWS)
}
