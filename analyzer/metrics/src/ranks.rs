//! Each rank's breakdown by function: all ranks side by side, or one rank alone.

use super::totals::{self, CallGroup, Totals, percent, world_rank};
use super::words::rank_in_words;
use crate::meaning;
use crate::rank_programs;
use model::error::Error;
use model::rank::UsageBetween;
use model::sums::Total;
use model::{Rank, Run};
use tables::number::whole;
use tables::part::Addend::{Calls, Nanoseconds, Ran, RanOfThreads};
use tables::part::{PartName, PartRows, PartRule, PartTable, added};
use tables::{Column, Row, Table, Value, WorldRank};
use traces::definitions::Counters;

/// A rank's time, calls and process. Times in seconds.
pub struct RankTotalRow {
    rank: WorldRank,
    host: String,
    pid: u32,
    wall: f64,
    mpi: f64,
    mpi_share: Option<f64>,
    calls: u64,
    open: u64,
    threads: u64,
    languages: String,
    file: u64,
    is_finalized: bool,
    program: String,
    usage: RankUsage,
}

/// The system's counts of a process between two readings, as far as it has them.
pub struct RankUsage {
    usage: Option<UsageBetween>,
    /// Seconds that the main thread was ready to run, but did not, and its share of the time.
    delay: Option<(f64, Option<f64>)>,
}

impl RankUsage {
    pub fn of(rank: &Rank) -> RankUsage {
        let delay = rank.main_usage().and_then(|usage| Some((usage.delay?, percent(usage.delay?, usage.wall))));
        RankUsage { usage: rank.process_usage(), delay }
    }

    fn processor(&self) -> Option<f64> {
        self.usage.as_ref()?.processor()
    }

    fn counted(&self, count: fn(&Counters) -> u64) -> Option<u64> {
        self.usage.as_ref()?.counters.as_ref().map(count)
    }

    /// The columns, for rows that contain it.
    pub fn columns() -> Vec<Column<RankUsage>> {
        vec![
            Column::count("allowed_cores", "cores", |row: &Self| {
                row.usage.as_ref().map(|usage| usage.allowed.len() as u64).filter(|cores| *cores > 0)
            })
            .means("The cores that it may use, by its affinity. Each hardware thread counts as one.")
            .silent_empty()
            .spare(1),
            Column::id("core", "", |row: &Self| row.usage.as_ref()?.core)
                .means("The core that it was on when it called MPI_Finalize."),
            Column::seconds("processor_s", "", Self::processor)
                .means("Processor time of all its threads between the end of MPI_Init and the start of MPI_Finalize."),
            Column::percent("processor_percent", "processor %", |row: &Self| {
                percent(row.processor()?, row.usage.as_ref()?.wall)
            })
            .means("The same, of that time; above 100 if several threads ran.")
            .silent_empty(),
            Column::seconds("run_delay_s", "delay", |row: &Self| row.delay.map(|(delay, _)| delay))
                .means(
                    "How long its main thread was ready to run but did not in that time, since others had the cores.",
                )
                .silent_empty()
                .spare(3),
            Column::percent("run_delay_percent", "delay %", |row: &Self| row.delay.and_then(|(_, share)| share))
                .means("The same, of that time.")
                .silent_empty(),
            Column::count("voluntary_switches", "", |row: &Self| row.counted(|counters| counters.voluntary))
                .means("Times that a thread gave its core up, as it had to wait for something."),
            Column::count("involuntary_switches", "", |row: &Self| row.counted(|counters| counters.involuntary))
                .means("Times that a thread lost its core, or yielded it."),
            Column::count("minor_faults", "", |row: &Self| row.counted(|counters| counters.minor_faults))
                .means("Page faults that read no disk."),
            Column::count("major_faults", "", |row: &Self| row.counted(|counters| counters.major_faults))
                .means("Page faults that read a disk."),
        ]
    }
}

impl Row for RankTotalRow {
    const TABLE: &'static str = "ranks";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK).in_part(PartName::Rank),
            Column::text("host", "host", |row: &Self| row.host.clone())
                .means("The host that the rank ran on.")
                .in_part(PartRule::Kept),
            Column::number("pid", "", |row: &Self| u64::from(row.pid)).means("Its process id there."),
            Column::seconds("wall_time_s", "wall", |row: &Self| row.wall)
                .means(
                    "From the end of its MPI_Init to the begin of its MPI_Finalize, or with --whole all of both, too; of a \
                 rank that has not got there, until now if its process \
                 runs, else until the last sign of life in its file.",
                )
                .in_part(Ran),
            Column::seconds("mpi_time_s", "in MPI", |row: &Self| row.mpi)
                .means("Time in MPI of all of the rank's threads.")
                .in_part(Nanoseconds),
            Column::percent("mpi_share_percent", "share %", |row: &Self| row.mpi_share)
                .means(meaning::MPI_SHARE_PERCENT)
                .in_part(added(Nanoseconds).over(RanOfThreads)),
            Column::count("calls", "calls", |row: &Self| row.calls).means(meaning::CALLS).in_part(Calls),
            Column::count("open_calls", "open", |row: &Self| row.open)
                .means(meaning::OPEN_CALLS)
                .silent_empty()
                .in_part(PartRule::Kept),
            Column::count("threads", "threads", |row: &Self| row.threads)
                .means("Threads that called MPI.")
                .spare(2)
                .in_part(PartRule::Kept),
        ];
        columns.extend(RankUsage::columns().into_iter().map(|column| column.from_part(|row: &Self| &row.usage)));
        columns.extend([
            Column::text("languages", "", |row: &Self| row.languages.clone()).means("The languages that called MPI."),
            Column::bytes("file_bytes", "", |row: &Self| row.file).means("The size of its trace."),
            Column::text("finalized", "", |row: &Self| if row.is_finalized { "yes" } else { "no" }.to_string())
                .means("Yes if it called MPI_Finalize."),
            Column::text("program", "", |row: &Self| row.program.clone()).means("The command that ran."),
        ]);
        columns
    }
}

fn row(rank: &Rank) -> RankTotalRow {
    let mpi = rank.time_in_mpi();
    RankTotalRow {
        rank: world_rank(rank),
        host: rank.process.host.clone(),
        pid: rank.header.pid,
        wall: rank.wall(),
        mpi,
        mpi_share: percent(mpi, rank.wall_of_threads()),
        calls: rank.entries().map(|entry| entry.count).total(),
        open: rank.entries().map(|entry| entry.open).total(),
        threads: rank.thread_count() as u64,
        languages: super::overview::in_words(&rank.languages),
        file: rank.bytes,
        is_finalized: rank.is_finalized(),
        program: rank_programs::command(rank),
        usage: RankUsage::of(rank),
    }
}

/// One row for each rank.
pub fn overview(run: &Run) -> Table<RankTotalRow> {
    Table::new("by rank", run.asked().map(row).collect()).in_part(PartTable::new(PartRows::Ranks, &[]))
}

/// Maximum number of ranks that people are all shown; of more ranks, they are shown `SHOWN_OF_MANY`.
pub const SHOWN: usize = 128;
pub const SHOWN_OF_MANY: usize = 20;

/// Some ranks for people, by their places in the run, in this order. The caller chooses them.
pub fn unlike(run: &Run, places: &[usize]) -> Table<RankTotalRow> {
    let of = whole(run.asked().count() as u64);
    let title =
        format!("by rank: {} of {of}, those first that are least like most (--format json has all)", places.len());
    Table::new(title, places.iter().map(|at| row(&run.ranks[*at])).collect()).for_people()
}

/// Maximum number of ranks side by side in a table for people.
const SIDE_BY_SIDE: usize = 5;

/// A function's time on some ranks, in seconds.
pub struct SideBySideRow {
    function: String,
    times: Vec<Option<f64>>,
}

/// Time by function and rank for people: tables of a few ranks side by side, the functions with the most time first.
pub fn side_by_side(run: &Run) -> Vec<Table<SideBySideRow>> {
    let mut groups = by_function(run);
    groups.retain(|(_, group)| group.sum().calls > 0);
    let places: Vec<usize> = run.asked_places().map(|(at, _)| at).collect();
    let block = |places: &[usize]| {
        let time = |totals: Totals| (totals.calls > 0).then_some(totals.time);
        let row = |(name, group): &(String, CallGroup)| SideBySideRow {
            function: name.clone(),
            times: places.iter().map(|at| time(group.of_rank(*at))).collect(),
        };
        let mut columns = vec![
            Column::text("function", "{unit} in", |row: &SideBySideRow| row.function.clone()).means(meaning::FUNCTION),
        ];
        columns.extend(places.iter().enumerate().map(|(column, at)| {
            let name = rank_in_words(&run.ranks[*at]);
            let key = format!("{}_s", name.replace(' ', "_"));
            Column::seconds(key, name, move |row: &SideBySideRow| row.times[column])
        }));
        Table::with_columns("side_by_side", "", columns, groups.iter().map(row).collect()).for_people()
    };
    places.chunks(SIDE_BY_SIDE).map(block).collect()
}

pub struct RankFunctionRow {
    rank: WorldRank,
    function: String,
    share: Option<f64>,
    totals: Totals,
}

impl Row for RankFunctionRow {
    const TABLE: &'static str = "rank_functions";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "", |row: &Self| row.rank).means(meaning::RANK),
            Column::text("function", "", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::seconds("time_s", "", |row: &Self| row.totals.time).means(meaning::TIME_S),
            Column::percent("time_share_of_wall_percent", "", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_OF_WALL_PERCENT),
            Column::count("calls", "", |row: &Self| row.totals.calls).means(meaning::CALLS),
            totals::open_calls().from_part(|row: &Self| &row.totals),
            Column::bytes("sent_bytes", "", |row: &Self| row.totals.sent).means(meaning::SENT_BYTES),
            Column::bytes("received_bytes", "", |row: &Self| row.totals.received).means(meaning::RECEIVED_BYTES),
            totals::pieces().from_part(|row: &Self| &row.totals),
            Column::seconds("call_min_s", "", |row: &Self| row.totals.shortest).means(meaning::CALL_MIN_S),
            Column::seconds("call_max_s", "", |row: &Self| row.totals.longest).means(meaning::CALL_MAX_S),
            Column::count("failed_calls", "", |row: &Self| row.totals.failed).means(meaning::FAILED_CALLS),
            Column::count("nested_calls", "", |row: &Self| row.totals.nested)
                .means("Calls made inside other MPI calls, whose time holds theirs."),
            Column::bytes("prepared_sent_bytes", "", |row: &Self| row.totals.prepared.0)
                .means("Bytes that each start of persistent requests hands out."),
            Column::bytes("prepared_received_bytes", "", |row: &Self| row.totals.prepared.1)
                .means("Bytes that each start of persistent requests receives."),
            Column::count("engine_entries", "", |row: &Self| row.totals.entries)
                .means("Entries into the progress engine during these calls."),
            Column::count("engine_productive_entries", "", |row: &Self| row.totals.productive)
                .means("Entries that achieved something."),
            Column::seconds("engine_s", "", |row: &Self| row.totals.engine).means(meaning::ENGINE_S),
        ]
    }
}

/// Time, calls and bytes by rank and function for programs, one row for each pair.
pub fn rank_functions(run: &Run) -> Table<RankFunctionRow> {
    let mut rows = Vec::new();
    for (function, group) in by_function(run) {
        let of_ranks = run.ranks.iter().enumerate().map(|(at, rank)| (rank, group.of_rank(at)));
        let called = of_ranks.filter(|(_, totals)| totals.calls > 0 || totals.nested > 0);
        rows.extend(called.map(|(rank, totals)| RankFunctionRow {
            rank: world_rank(rank),
            function: function.clone(),
            share: percent(totals.time, rank.wall()),
            totals,
        }));
    }
    Table::new("", rows).for_programs()
}

pub struct OneRankRow {
    function: String,
    share: Option<f64>,
    totals: Totals,
}

impl Row for OneRankRow {
    const TABLE: &'static str = "one_rank";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::seconds("time_s", "time", |row: &Self| row.totals.time).means(meaning::TIME_S),
            Column::percent("time_share_of_wall_percent", "of wall %", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_OF_WALL_PERCENT),
            Column::count("calls", "calls", |row: &Self| row.totals.calls).means(meaning::CALLS),
            totals::open_calls().from_part(|row: &Self| &row.totals),
            Column::seconds("call_min_s", "shortest", |row: &Self| row.totals.shortest)
                .means(meaning::CALL_MIN_S)
                .each(),
            Column::seconds("call_mean_s", "mean", |row: &Self| row.totals.time / row.totals.calls as f64)
                .means("A call, on average.")
                .each()
                .spare(3),
            Column::seconds("call_max_s", "longest", |row: &Self| row.totals.longest).means(meaning::CALL_MAX_S).each(),
            Column::bytes("bytes", "bytes", |row: &Self| row.totals.bytes()).means(meaning::BYTES),
            Column::bytes("sent_bytes", "", |row: &Self| row.totals.sent).means(meaning::SENT_BYTES),
            Column::bytes("received_bytes", "", |row: &Self| row.totals.received).means(meaning::RECEIVED_BYTES),
            totals::pieces().from_part(|row: &Self| &row.totals),
            Column::count("failed_calls", "", |row: &Self| row.totals.failed).means(meaning::FAILED_CALLS),
        ]
    }
}

/// The breakdown of rank `number` by function, the function with the most time first.
pub fn alone(run: &Run, number: u32) -> Result<Table<OneRankRow>, Error> {
    let at = run.ranks.iter().position(|rank| rank.header.world == 0 && rank.number() == Some(number));
    let at = at.ok_or(Error::NoRank { rank: number, size: run.size() })?;
    let rank = &run.ranks[at];
    let row = |(function, group): (String, CallGroup)| {
        let totals = group.of_rank(at);
        OneRankRow { function, share: percent(totals.time, rank.wall()), totals }
    };
    let mut rows: Vec<OneRankRow> = by_function(run).into_iter().map(row).collect();
    rows.retain(|row| row.totals.calls > 0);
    rows.sort_by(|a, b| b.totals.time.total_cmp(&a.totals.time));
    Ok(Table::new(format!("rank {number}, {}", Value::Seconds(rank.wall())), rows))
}

fn by_function(run: &Run) -> Vec<(String, CallGroup)> {
    let mut groups: Vec<_> = totals::by_function(run).into_iter().collect();
    groups.sort_by(|a, b| b.1.sum().time.total_cmp(&a.1.sum().time));
    groups
}
