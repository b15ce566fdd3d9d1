//! The tables of the ledger: of the whole run, and by rank.

use super::engine_figures::{FIGURES, LedgerFigure};
use super::ledger::Ledger;
use crate::totals::{Totals, world_rank};
use crate::{meaning, totals};
use model::engine::EngineAccount;
use model::{Rank, Run};
use tables::part::Addend::{Calls, Entries, Nanoseconds, Productive};
use tables::part::{PartName, PartRows, PartTable, added};
use tables::{Column, Label, Row, Table, Value, WorldRank};

/// A figure over all ranks: the total, the mean, the maximum and its rank.
pub struct LedgerRow {
    figure: Label,
    total: Value,
    mean: Value,
    max: Value,
    max_rank: Option<WorldRank>,
}

impl Row for LedgerRow {
    const TABLE: &'static str = "ledger";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("figure", "the ledger", |row: &Self| row.figure).means(meaning::FIGURE),
            Column::by_row("total", "total", |row: &Self| row.total.clone()),
            Column::by_row("mean", "mean", |row: &Self| row.mean.clone()),
            Column::by_row("max", "max", |row: &Self| row.max.clone()),
            Column::rank("max_rank", "rank", |row: &Self| row.max_rank).means(meaning::MAX_RANK),
        ]
    }
}

/// The ledger for people, with one row for each figure. Programs get it by rank.
pub fn ledger(run: &Run) -> Table<LedgerRow> {
    let asked: Vec<&Rank> = run.asked().collect();
    let ranks: Vec<Ledger> = asked.iter().map(|rank| Ledger::of(rank)).collect();
    let total = Ledger::of_run(run);
    let row = |figure: &LedgerFigure| {
        let values: Vec<f64> = ranks.iter().map(|ledger| figure.number(ledger)).collect();
        let (most, at) = values.iter().zip(0..).fold((f64::MIN, 0), |a, (v, at)| if *v > a.0 { (*v, at) } else { a });
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        LedgerRow {
            figure: figure.label,
            total: figure.value(&total),
            mean: figure.in_its_unit(mean),
            max: figure.in_its_unit(most),
            max_rank: (most > 0.0).then(|| world_rank(asked[at])),
        }
    };
    let shown = FIGURES.iter().filter(|figure| figure.is_shown(&total));
    Table::new("", shown.map(row).collect()).whole().for_people()
}

pub struct RankLedgerRow {
    rank: WorldRank,
    ledger: Ledger,
    /// True if the engine can be seen.
    is_seen: bool,
}

impl Row for RankLedgerRow {
    const TABLE: &'static str = "ledger";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK)];
        columns.extend(FIGURES.iter().map(|figure| {
            if figure.is_of_engine {
                figure.column(|row: &Self| row.is_seen.then_some(&row.ledger))
            } else {
                figure.column(|row: &Self| Some(&row.ledger))
            }
        }));
        columns
    }
}

/// The ledger with one row for each rank.
pub fn by_rank(run: &Run) -> Table<RankLedgerRow> {
    let is_seen = Ledger::of_run(run).entries > 0;
    let row = |rank: &Rank| RankLedgerRow { rank: world_rank(rank), ledger: Ledger::of(rank), is_seen };
    let title = "the engine by rank: calls, time; sockets ready; time receiving, sending";
    Table::new(title, run.asked().map(row).collect())
}

pub struct FunctionRow {
    function: String,
    sum: Totals,
}

impl Row for FunctionRow {
    const TABLE: &'static str = "engine_functions";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("function", "function", |row: &Self| row.function.clone())
                .means(meaning::FUNCTION)
                .in_part(PartName::Function),
        ];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

pub struct EngineSiteRow {
    site: String,
    function: String,
    sum: Totals,
}

impl Row for EngineSiteRow {
    const TABLE: &'static str = "engine_sites";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::text("function", "", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
        ];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

fn figures() -> impl Iterator<Item = Column<Totals>> {
    let per_call = |sum: &Totals| sum.entries as f64 / sum.calls.max(1) as f64;
    let columns = [
        Column::count("calls", "calls", |sum: &Totals| sum.calls).means(meaning::CALLS).in_part(Calls),
        totals::open_calls(),
        Column::count("entries", "entries", |sum: &Totals| sum.entries).means(meaning::ENTRIES).in_part(Entries),
        Column::ratio("entries_per_call", "a call", per_call)
            .means("Entries into the progress engine for each call.")
            .spare(1)
            .in_part(added(Entries).over(Calls)),
        Column::count("productive_entries", "productive", |sum: &Totals| sum.productive)
            .means(meaning::PRODUCTIVE_ENTRIES)
            .in_part(Productive),
        Column::seconds("engine_s", "engine", |sum: &Totals| sum.engine).means(meaning::ENGINE_S),
        Column::seconds("time_s", "of", |sum: &Totals| sum.time).means(meaning::TIME_S).in_part(Nanoseconds),
        Column::seconds("entry_s", "", |sum: &Totals| sum.engine / sum.entries.max(1) as f64)
            .means("An entry, on average."),
    ];
    columns.into_iter()
}

/// Entries by MPI function, the one with the most entries first.
pub fn functions(run: &Run) -> Table<FunctionRow> {
    functions_of(totals::by_function(run).into_iter().map(|(function, group)| (function, group.sum())).collect())
}

/// Like [`functions`], from the functions' sums in the order of their names.
pub fn functions_of(sums: Vec<(String, Totals)>) -> Table<FunctionRow> {
    let rows = most_entered(sums).into_iter().map(|(function, sum)| FunctionRow { function, sum });
    let part = PartTable::new(PartRows::Calls, &["entries"]).only("entries");
    Table::new("by MPI function", rows.collect())
        .in_part(part.left_out("how long the engine took is known of the whole run alone"))
}

/// Entries by call site, the one with the most entries first.
pub fn sites(run: &Run) -> Table<EngineSiteRow> {
    let sums = totals::by_site(run).into_iter().map(|(key, group)| (key, group.sum())).collect();
    let rows = most_entered(sums).into_iter().map(|((site, function), sum)| EngineSiteRow { site, function, sum });
    Table::new("by call site", rows.collect())
}

/// The groups in which the engine was entered, the one with the most entries first.
fn most_entered<Key>(mut sums: Vec<(Key, Totals)>) -> Vec<(Key, Totals)> {
    sums.retain(|(_, sum)| sum.entries > 0);
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.entries));
    sums
}

/// Maximum number of rows shown to people.
const ROWS: usize = 8;

/// The intervals between two calls of a thread in which requests were pending. Times in seconds.
pub struct StarvedRow {
    pub(crate) rank: WorldRank,
    pub(crate) longest: f64,
    pub(crate) percentile_99: f64,
    pub(crate) median: f64,
    pub(crate) times: u64,
    pub(crate) pending: u64,
    pub(crate) from: String,
    pub(crate) to: String,
    longest_began: f64,
}

impl Row for StarvedRow {
    const TABLE: &'static str = "starved";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("longest_s", "longest", |row: &Self| row.longest)
                .means("The longest time in which requests were pending and nobody entered the progress engine."),
            Column::seconds("percentile_99_s", "99 % below", |row: &Self| row.percentile_99)
                .means("The 99th percentile of such times.")
                .spare(2),
            Column::count("times", "times", |row: &Self| row.times).means("How many such times."),
            Column::count("pending_requests", "pending", |row: &Self| row.pending)
                .means("Requests pending in the longest one.")
                .spare(1),
            Column::text("from_site", "between", |row: &Self| row.from.clone())
                .means("The call before the longest one."),
            Column::text("to_site", "and", |row: &Self| row.to.clone()).means("The call after it."),
            Column::seconds("longest_began_s", "", |row: &Self| row.longest_began)
                .means("When it began, since the first rank entered MPI_Init."),
        ]
    }
}

/// One row for each rank, thread and pair of calls, the longest interval first.
pub fn starved(run: &Run, engines: &[Vec<EngineAccount>]) -> Table<StarvedRow> {
    let mut rows = Vec::new();
    for (rank, threads) in run.ranks.iter().zip(engines) {
        for engine in threads.iter().filter(|engine| !engine.shared) {
            rows.extend(engine.starved.iter().map(|((from, to), starved)| StarvedRow {
                rank: world_rank(rank),
                longest: rank.clock.seconds(starved.longest),
                percentile_99: rank.clock.seconds(starved.percentile_99()),
                median: rank.clock.seconds(starved.median()),
                times: starved.count(),
                pending: starved.pending,
                from: run.sites.place(rank, *from),
                to: run.sites.place(rank, *to),
                longest_began: rank.clock.seconds(starved.at.saturating_sub(rank.header.begin.ticks)),
            }));
        }
    }
    rows.sort_by(|a, b| b.longest.total_cmp(&a.longest));
    Table::new("requests pending while nothing entered the engine, by the calls around", rows).most(ROWS)
}
