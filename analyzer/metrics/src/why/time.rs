//! Time by kind, of all ranks and of each.

use model::attribution::{RankTimes, Spent};
use model::sums::Total;
use tables::{Column, Label, Row, Table, WorldRank};

use super::Why;
use crate::meaning;
use crate::totals::{percent, seconds, world_rank};

/// Maximum number of ranks shown to people.
const RANKS: usize = 16;

/// A kind of time as tables name it.
pub struct Kind {
    pub key: &'static str,
    pub name: &'static str,
    meaning: &'static str,
}

macro_rules! kinds {
    ($($key:literal $name:literal $meaning:literal;)*) => {
        const KINDS: &[Kind] = &[$(Kind { key: $key, name: $name, meaning: $meaning }),*];
    };
}

kinds! {
    "computing" "computing" "Outside MPI, as far as no other kind takes it.";
    "between_polls" "between polls" "Outside MPI, between polls that found nothing.";
    "in_files" "in files" "Outside MPI, in reads, writes, syncs and the like of files, which `overhear files` shows.";
    "sleeping" "sleeping" "Outside MPI, in calls that sleep: nanosleep, poll, locks and the like, which `overhear sleeps` shows.";
    "off_core" "no core" "Outside MPI and ready to run, without a core: an estimate from readings of the whole thread.";
    "asleep" "asleep" "Outside MPI, asleep or blocked in no call that is recorded.";
    "in_kernel" "in the kernel" "Outside MPI, in the kernel: at least this much, by readings of the whole thread.";
    "recording" "recorder's start" "The recorder's own work before MPI_Init returned.";
    "waiting" "waiting" "Until another rank acted, in MPI or between polls.";
    "polling" "polling" "In calls that asked and found nothing.";
    "files" "file calls" "In calls about files.";
    "in_calls" "in calls" "In other calls, with nobody to wait for.";
}

pub fn kind(spent: Spent) -> &'static Kind {
    let key = match spent {
        Spent::Computing => "computing",
        Spent::BetweenPolls => "between_polls",
        Spent::InFile => "in_files",
        Spent::Sleeping => "sleeping",
        Spent::OffCore => "off_core",
        Spent::Asleep => "asleep",
        Spent::InKernel => "in_kernel",
        Spent::Recording => "recording",
        Spent::Waiting(_) | Spent::WaitingByHand(_) => "waiting",
        Spent::Polling => "polling",
        Spent::Files => "files",
        Spent::InCall | Spent::Unfollowed => "in_calls",
    };
    KINDS.iter().find(|kind| kind.key == key).unwrap_or(&KINDS[0])
}

fn of_kind(times: &RankTimes, wanted: &Kind) -> i64 {
    times.of(|key| kind(key.spent).key == wanted.key)
}

pub struct KindRow {
    label: Label,
    per_rank: f64,
    share: Option<f64>,
    error: Option<f64>,
    most: f64,
    rank: WorldRank,
    meaning: &'static str,
}

impl Row for KindRow {
    const TABLE: &'static str = "kinds";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("kind", "spent", |row: &Self| row.label).means("The kind of time. All together are the ranks' time.").name(),
            Column::seconds("time_s", "per rank", |row: &Self| row.per_rank).means("Time, mean of the ranks."),
            Column::percent("percent", "%", |row: &Self| row.share).means("Share of the ranks' time."),
            Column::seconds("error_s", "+-", |row: &Self| row.error)
                .means("By how much it may be off, per rank, as readings know the whole thread and no place; what is off is computing.")
                .silent_empty(),
            Column::seconds("most_s", "most", |row: &Self| row.most).means("The time of the rank with the most."),
            Column::rank("most_rank", "rank", |row: &Self| row.rank).means("The rank with the most."),
            Column::text("meaning", "", |row: &Self| row.meaning.to_string()).means("What the kind is."),
        ]
    }
}

/// One row for each kind that occurs, in the order of the kinds.
pub fn kinds(why: &Why) -> Table<KindRow> {
    let mut rows = Vec::new();
    for wanted in KINDS {
        let time: i64 = why.asked().map(|(_, times)| of_kind(times, wanted)).total();
        let most = why.asked().max_by_key(|(at, times)| (of_kind(times, wanted), std::cmp::Reverse(*at)));
        let Some((at, most)) = most.filter(|_| time > 0) else { continue };
        let error: i64 = why.asked().map(|(_, times)| error(times, wanted)).total();
        rows.push(KindRow {
            label: Label { key: wanted.key, name: wanted.name, depth: 0 },
            per_rank: why.per_rank(time),
            share: why.share(time),
            error: (error > 0).then(|| why.per_rank(error)),
            most: seconds(of_kind(most, wanted)),
            rank: world_rank(&why.run.ranks[at]),
            meaning: wanted.meaning,
        });
    }
    Table::new("where the ranks' time went", rows).whole()
}

fn error(times: &RankTimes, wanted: &Kind) -> i64 {
    times.errors.iter().filter(|(spent, _)| kind(**spent).key == wanted.key).map(|(_, error)| *error).total()
}

pub struct RankRow {
    rank: WorldRank,
    life: f64,
    shares: Vec<Option<f64>>,
}

impl Row for RankRow {
    const TABLE: &'static str = "ranks";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("time_s", "time", |row: &Self| row.life)
                .means("Its time from the end of MPI_Init to the begin of MPI_Finalize."),
        ];
        for (at, kind) in KINDS.iter().enumerate() {
            let share = move |row: &Self| row.shares[at].filter(|share| *share > 0.0);
            columns.push(
                Column::percent(format!("{}_percent", kind.key), format!("{} %", kind.name), share)
                    .means(format!("Share of its time: {}", kind.meaning))
                    .silent_empty(),
            );
        }
        columns
    }
}

/// One row for each rank, in order.
pub fn ranks(why: &Why) -> Table<RankRow> {
    let row = |(at, times): (usize, &RankTimes)| RankRow {
        rank: world_rank(&why.run.ranks[at]),
        life: seconds(times.life),
        shares: KINDS.iter().map(|kind| percent(of_kind(times, kind) as f64, times.life as f64)).collect(),
    };
    Table::new("time by rank", why.asked().map(row).collect()).most(RANKS)
}
