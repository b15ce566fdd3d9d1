//! The critical path by place: the calls, and the computation between them, that set the run's length.

use rustc_hash::FxHashMap;

use super::totals::{percent, seconds, world_rank};
use super::words::plural;
use crate::meaning;
use model::Run;
use model::critical::{CriticalPath, PathSite, Time};
use model::roles::CallSite;
use model::sites::line_and_caller;
use model::sums::Total;
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};

/// Maximum number of rows of each table shown to people.
const ROWS: usize = 15;

facts! {
    PATH = "path_s", Seconds, always, "The length of the critical path.";
    IN_MPI = "path_in_mpi_s", Seconds, always, "The part of the critical path that lies in MPI calls.";
    JUMPS = "path_jumps", Count, always, "How often the critical path goes from one rank to another.";
}

/// The length of the path, its part in MPI, and how often it changes ranks.
pub fn facts(path: &CriticalPath) -> Vec<Fact> {
    let length: i64 = path.ranks.values().copied().total();
    let calls = path.places.iter().filter(|(place, _)| matches!(place, PathSite::In(_)));
    let in_mpi: i64 = calls.flat_map(|(_, time)| time.on_path.values().copied()).total();
    let jumps = path.stretches.saturating_sub(1);
    let share = 100.0 * in_mpi as f64 / (length as f64).max(1.0);
    vec![
        Fact::new(PATH, "path", Value::Seconds(seconds(length))).note(format!(
            ", {share:.1} % of it in MPI; on {}, from one to another {}",
            plural(path.ranks.len() as u64, "rank"),
            plural(jumps, "time")
        )),
        Fact::hidden(IN_MPI, Value::Seconds(seconds(in_mpi))),
        Fact::hidden(JUMPS, Value::Count(jumps)),
    ]
}

/// A call, or the computation between two calls, on the critical path. Times in nanoseconds.
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
            Column::text("site", "call site", |row: &Self| row.site.clone())
                .means("Where the call is made; of computation, the call sites before and behind it."),
            Column::seconds("path_s", "time", |row: &Self| seconds(row.on_path))
                .means("Time of the critical path there."),
            Column::percent("path_percent", "%", |row: &Self| row.share).means("Share of the critical path."),
            Column::rank("rank", "most", |row: &Self| row.rank).means("The rank that has the most of it."),
            Column::seconds("rank_s", "", |row: &Self| seconds(row.of_rank))
                .means("Time of that rank there, on the path and off it."),
            Column::seconds("mean_s", "", |row: &Self| seconds(row.mean))
                .means("The time there per rank."),
            Column::seconds("saves_s", "saves", |row: &Self| seconds(row.saves))
                .means(
                    "The most that the run would be shorter by if this took no more than it takes the mean rank; of computation, \
                     no more than an even spread of all computation would save.",
                ),
        ]
    }
}

/// One row for each place on the path, the longest first. `uneven` is the longest rank's computation less the mean rank's,
/// seconds: computation at one place cannot save more. The mean at that place would be too low a bound, since ranks at a border
/// of the grid may continue at other lines.
pub fn table(run: &Run, places: &FxHashMap<PathSite, Time>, uneven: f64) -> Table<PathRow> {
    let most_saved = (uneven * 1e9) as i64;
    let all: i64 = places.values().flat_map(|time| time.on_path.values().copied()).total();
    let row = |(place, time): (&PathSite, &Time)| {
        let on_path: i64 = time.on_path.values().copied().total();
        let (rank, most) = time.on_path.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)))?;
        let mean = time.total / run.asked().count().max(1) as i64;
        let call = |number: u32| &run.call_sites()[number as usize];
        let (name, site) = match *place {
            PathSite::In(at) if time.is_open => (format!("{} (open)", call(at).function), call(at).site.clone()),
            PathSite::In(at) => (call(at).function.clone(), call(at).site.clone()),
            PathSite::Between(from, to) => between(call(from), call(to)),
        };
        Some(PathRow {
            name,
            site,
            on_path,
            share: percent(on_path as f64, all as f64),
            rank: world_rank(&run.ranks[*rank as usize]),
            of_rank: *most,
            mean,
            saves: match place {
                PathSite::In(_) => on_path,
                PathSite::Between(..) => on_path.saturating_sub(mean).clamp(0, most_saved.max(0)),
            },
        })
    };
    let mut rows: Vec<PathRow> = places.iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.on_path.cmp(&a.on_path).then_with(|| (&a.name, &a.site).cmp(&(&b.name, &b.site))));
    Table::new("computation and calls that set the run's length", rows).most(ROWS)
}

/// Name and site of computation between two calls.
pub fn between(from: &CallSite, to: &CallSite) -> (String, String) {
    let file = |site: &str| site.rsplit_once(':').map(|(file, _)| file.to_string());
    // `p.c:3 to 6`; places that name a caller have two lines.
    let is_line = [from, to].iter().all(|of| line_and_caller(&of.site).1.is_none());
    let later =
        if is_line && file(&from.site) == file(&to.site) { to.site.rsplit(':').next() } else { Some(to.site.as_str()) };
    let site = match later.filter(|later| !later.is_empty() && from.site != to.site) {
        Some(later) if !from.site.is_empty() => format!("{} to {later}", from.site),
        _ => to.site.clone(),
    };
    (format!("{} to {}", from.function, to.function), site)
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
pub fn ranks(run: &Run, path: &CriticalPath) -> Table<PathRankRow> {
    let all: i64 = path.ranks.values().copied().total();
    let mut times: Vec<(u32, i64)> = path.ranks.iter().map(|(rank, time)| (*rank, *time)).collect();
    times.sort_by_key(|(rank, time)| (std::cmp::Reverse(*time), *rank));
    let row = |(rank, on_path): (u32, i64)| PathRankRow {
        rank: world_rank(&run.ranks[rank as usize]),
        on_path,
        share: percent(on_path as f64, all as f64),
    };
    Table::new("", times.into_iter().map(row).collect()).most(ROWS)
}
