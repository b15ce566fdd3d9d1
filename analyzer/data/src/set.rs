//! A run with the data that all tables are made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use traces::read::{Contents, EventPage, ThreadPages};

use metrics::totals::seconds;
use model::clock::Clock;
use model::common_clock::{ClockLine, CommonClock};
use model::matching::{Follow, JoinedOperation, ReceivedMessage, Settled, WaitSpan, settled};
use model::objects::Objects;
use model::parallel;
use model::roles::CallSite;
use model::{Rank, Run};
use tables::{Column, Shared};

pub struct DataSet<'r> {
    pub run: &'r Run,
    pub common_clock: CommonClock,
    pub objects: Objects,
    /// Sizes of the worlds.
    pub worlds: BTreeMap<u32, u32>,
    contents: Vec<Contents<'r>>,
    /// Sorted by receiving rank: a second copy by rank would be as large.
    messages: Vec<ReceivedMessage>,
    /// By waiting rank.
    waits: Vec<Vec<WaitSpan>>,
    /// By rank.
    joined: Vec<Vec<JoinedOperation>>,
    names: PlaceNames,
}

impl<'r> DataSet<'r> {
    /// A data set of a run. If some table in `follow` needs matched calls, these are found and held in memory, and times are on a
    /// clock that agrees with the messages.
    pub fn new(run: &'r Run, follow: Follow) -> DataSet<'r> {
        if follow.is_empty() {
            return DataSet::on(run, run.common_clock());
        }
        let Settled { account, common_clock, .. } = settled(run, follow);
        let mut messages = account.messages;
        messages.retain(ReceivedMessage::counts);
        sort_by_rank(&mut messages, |message| (message.end, message.from, message.begin));
        let (mut waits, mut joined) = (account.spans, account.joined);
        for of_rank in &mut waits {
            of_rank.sort_unstable_by_key(|span| (span.from, *span));
        }
        for of_rank in &mut joined {
            of_rank.sort_by_key(|one| (one.part.begin, one.object, one.ordinal));
        }
        DataSet { messages, waits, joined, names: PlaceNames::of(run.call_sites()), ..DataSet::on(run, common_clock) }
    }

    /// A data set on a known clock, without matched data.
    pub fn on(run: &'r Run, common_clock: CommonClock) -> DataSet<'r> {
        let contents = run.ranks.iter().map(|rank| rank.contents()).collect();
        let (messages, waits, joined) = (Vec::new(), Vec::new(), Vec::new());
        let (objects, names) = (Objects::of(run), PlaceNames::default());
        let worlds = run.worlds();
        DataSet { run, common_clock, objects, worlds, contents, messages, waits, joined, names }
    }

    /// Messages that a rank received, in the order of their receives. Ranks are given by place in the run.
    pub fn messages(&self, rank: usize) -> &[ReceivedMessage] {
        let end = self.messages.partition_point(|message| message.to.rank as usize <= rank);
        let of_others = self.messages[..end].partition_point(|message| (message.to.rank as usize) < rank);
        &self.messages[of_others..end]
    }

    /// Waits of a rank, in order of time.
    pub fn waits(&self, rank: usize) -> &[WaitSpan] {
        &self.waits[rank]
    }

    pub fn joined(&self, rank: usize) -> &[JoinedOperation] {
        &self.joined[rank]
    }

    /// Names of functions and call sites in the matched data.
    pub fn names(&self) -> &PlaceNames {
        &self.names
    }

    /// Number and world of a rank; `None` before MPI told the number.
    pub fn rank_and_world(&self, at: u32) -> (Option<u32>, u32) {
        let rank = &self.run.ranks[at as usize];
        (rank.number(), rank.header.world)
    }

    /// Places of the selected ranks in the run.
    pub fn asked(&self) -> impl Iterator<Item = usize> {
        self.run.asked_places().map(|(at, _)| at)
    }

    pub fn contents(&self, rank: usize) -> &Contents<'r> {
        &self.contents[rank]
    }

    pub fn threads(&self, rank: usize) -> &[ThreadPages<'r>] {
        &self.contents[rank].threads
    }

    pub fn rank(&self, at: usize) -> RankOfRows {
        let Rank { header, clock, .. } = &self.run.ranks[at];
        let number = self.run.ranks[at].number();
        RankOfRows { number, world: header.world, line: self.common_clock.lines[at], clock: *clock }
    }

    /// All pages of events as pieces, each a page with a bounded number of records.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for rank in self.asked() {
            for (thread, pages) in self.threads(rank).iter().enumerate() {
                let last = pages.pages.len().max(1) - 1;
                pieces.extend((0..=last).map(|page| Piece { rank, thread, page, is_last: page == last }));
            }
        }
        pieces
    }

    /// Pages of a piece's thread, from the piece's own page on.
    pub fn pages(&self, piece: &Piece) -> &[EventPage<'r>] {
        self.threads(piece.rank)[piece.thread].pages.get(piece.page..).unwrap_or(&[])
    }
}

/// Sorts messages by receiving rank, and those of a rank by a key. The matcher gives them almost in that order.
pub fn sort_by_rank<K: Ord>(messages: &mut [ReceivedMessage], key: impl Fn(&ReceivedMessage) -> K + Sync) {
    if !messages.is_sorted_by_key(|message| message.to.rank) {
        messages.sort_by_key(|message| message.to.rank);
    }
    let by_rank: Vec<_> = messages.chunk_by_mut(|one, next| one.to.rank == next.to.rank).collect();
    parallel::map_each(by_rank, |of_rank| of_rank.sort_by_key(&key));
}

/// A page of a thread's events, which can be read by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The rank's place in the run.
    pub rank: usize,
    /// The thread's place in the rank.
    pub thread: usize,
    /// The page's place in the thread.
    pub page: usize,
    /// True for the last page of the thread, which also carries the state that is on no page yet.
    pub is_last: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct RankOfRows {
    /// Rank in its world; `None` before MPI told it.
    pub number: Option<u32>,
    pub world: u32,
    line: ClockLine,
    clock: Clock,
}

impl RankOfRows {
    /// A tick in seconds of the run's clock.
    pub fn at(&self, ticks: u64) -> f64 {
        seconds(self.line.nanoseconds_at(ticks))
    }

    /// Maximum error of [`at`](Self::at), seconds.
    pub fn error(&self, ticks: u64) -> f64 {
        seconds(self.line.error(self.line.nanoseconds_at(ticks)))
    }

    pub fn seconds(&self, ticks: u64) -> f64 {
        self.clock.seconds(ticks)
    }
}

/// Context of rows that belong to one rank.
pub trait OfRank {
    fn rank(&self) -> &RankOfRows;
}

impl OfRank for RankOfRows {
    fn rank(&self) -> &RankOfRows {
        self
    }
}

/// The columns that identify the rank of a row, with which every table of ranks begins.
pub fn rank_columns<Row: 'static, Common: OfRank + 'static>() -> Vec<Column<Row, Common>> {
    vec![
        Shared::id("rank", |_, of: &Common| of.rank().number)
            .means("rank in MPI_COMM_WORLD, null for a process that ended before MPI said it"),
        Shared::id("world", |_, of: &Common| of.rank().world)
            .means("0, or the number of the spawned world that the rank is of"),
    ]
}

/// The columns of a time between two ticks.
pub fn time_columns<Row: 'static, Common: OfRank + 'static>(
    start: fn(&Row) -> u64,
    end: fn(&Row) -> u64,
) -> Vec<Column<Row, Common>> {
    vec![
        Shared::ticks("start_ticks", move |row, _| start(row)).means("when it began, as the rank's counter said"),
        Shared::ticks("end_ticks", move |row, _| end(row)).means("when it ended, as the rank's counter said"),
        Shared::seconds("start_s", move |row, of: &Common| of.rank().at(start(row)))
            .means("when it began, seconds since the first rank entered MPI_Init"),
        Shared::seconds("end_s", move |row, of: &Common| of.rank().at(end(row)))
            .means("when it ended, seconds since the first rank entered MPI_Init"),
        Shared::seconds("error_s", move |row, of: &Common| of.rank().error(start(row)))
            .means("by how much start_s may be off against the first rank's clock"),
    ]
}

/// Functions and call sites by the run's numbers.
#[derive(Clone, Default)]
pub struct PlaceNames {
    pub functions: Arc<[String]>,
    pub sites: Arc<[String]>,
}

impl PlaceNames {
    pub fn of(places: &[CallSite]) -> PlaceNames {
        let (functions, sites): (Vec<String>, Vec<String>) =
            places.iter().map(|place| (place.function.clone(), place.site.clone())).unzip();
        PlaceNames { functions: functions.into(), sites: sites.into() }
    }
}
