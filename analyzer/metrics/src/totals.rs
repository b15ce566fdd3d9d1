//! Calls added up by anything that they have in common, rank by rank.

use std::collections::BTreeMap;
use std::hash::Hash;

use crate::meaning;
use model::rank::{ThreadTotals, function_of, is_nested};
use model::sums::Grow;
use model::tally::CallTotal;
use model::{Rank, Run};
use rustc_hash::FxHashMap;
use tables::{Column, WorldRank};

/// Totals of some calls of one rank. Times in seconds. All but `nested` leave out calls made inside other MPI calls.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Totals {
    pub calls: u64,
    /// Calls that have not returned.
    pub open: u64,
    /// Time of the calls together.
    pub time: f64,
    /// The shortest call that returned; while none has, the shortest open one.
    pub shortest: f64,
    /// The longest call, open or not.
    pub longest: f64,
    /// Bytes handed out.
    pub sent: u64,
    pub received: u64,
    /// Pieces that sent and received bytes lay in, of calls whose datatypes scatter them.
    pub pieces: u64,
    /// Calls that returned an error.
    pub failed: u64,
    /// Calls made inside other MPI calls, whose time includes theirs.
    pub nested: u64,
    /// Bytes sent and received by each start of the persistent requests that the calls created.
    pub prepared: (u64, u64),
    /// Entries into the progress engine.
    pub entries: u64,
    /// Entries that achieved something: a message, a completion, bytes moved.
    pub productive: u64,
    /// Time in the progress engine.
    pub engine: f64,
}

/// Totals of calls that have something in common, by the rank's place in the run, in that order.
#[derive(Clone, Default)]
pub struct CallGroup(Vec<(u32, Totals)>);

/// Adds up the run's calls by `key`, leaving out those for which it is `None`. Calls of threads without room of their
/// own in the file come without a thread.
pub fn group_calls<K: Ord>(
    run: &Run,
    key: impl Fn(&Rank, Option<&ThreadTotals>, &CallTotal) -> Option<K>,
) -> BTreeMap<K, CallGroup> {
    let mut groups: BTreeMap<K, CallGroup> = BTreeMap::new();
    for (at, rank) in (0..).zip(&run.ranks) {
        for (thread, entry) in entries(rank) {
            if let Some(key) = key(rank, thread, entry) {
                groups.entry(key).or_default().of(at).add(rank, entry);
            }
        }
    }
    groups
}

/// Sums of the run's calls by `key`, leaving out those for which it is `None`. Like [`group_calls`], without the totals of each rank.
pub fn sum_calls<K: Ord + Copy>(run: &Run, key: impl Fn(&CallTotal) -> Option<K>) -> BTreeMap<K, Totals> {
    let (mut sums, mut own): (BTreeMap<K, Totals>, BTreeMap<K, Totals>) = Default::default();
    for rank in &run.ranks {
        for (_, entry) in entries(rank) {
            if let Some(key) = key(entry) {
                own.entry(key).or_default().add(rank, entry);
            }
        }
        for (key, totals) in std::mem::take(&mut own) {
            sums.entry(key).or_default().merge(&totals);
        }
    }
    sums
}

/// Like [`group_calls`], for keys that take longer to make than to compare: `name` makes one for all calls of an
/// `identity`.
pub fn group_calls_named<'r, I: Eq + Hash, K: Ord>(
    run: &'r Run,
    identity: impl Fn(&'r Rank, &'r CallTotal) -> Option<I>,
    name: impl Fn(&'r Rank, &'r CallTotal) -> K,
) -> BTreeMap<K, CallGroup> {
    let (mut known, mut names): (FxHashMap<I, usize>, BTreeMap<K, usize>) = Default::default();
    let mut groups: Vec<CallGroup> = Vec::new();
    for (at, rank) in (0..).zip(&run.ranks) {
        for (_, entry) in entries(rank) {
            let Some(identity) = identity(rank, entry) else { continue };
            let group = *known.entry(identity).or_insert_with(|| {
                let next = names.len();
                *names.entry(name(rank, entry)).or_insert(next)
            });
            if group == groups.len() {
                groups.push(CallGroup::default());
            }
            groups[group].of(at).add(rank, entry);
        }
    }
    names.into_iter().map(|(name, group)| (name, std::mem::take(&mut groups[group]))).collect()
}

/// The run's calls by the names of their functions.
pub fn by_function(run: &Run) -> BTreeMap<String, CallGroup> {
    group_calls_named(run, |_, entry| Some(entry.signature.call), |_, entry| function_of(entry.signature.call))
}

/// The run's calls by the names of their sites and functions.
pub fn by_site(run: &Run) -> BTreeMap<(String, String), CallGroup> {
    group_calls_named(
        run,
        |rank, entry| Some((run.sites.identity(rank, entry.signature.site), entry.signature.call)),
        |rank, entry| (run.sites.name(rank, entry.signature.site), function_of(entry.signature.call)),
    )
}

/// A rank's calls by signature, with the thread that has room of its own for them.
fn entries(rank: &Rank) -> impl Iterator<Item = (Option<&ThreadTotals>, &CallTotal)> {
    let of_thread = |thread| move |entry| (Some(thread), entry);
    let of_threads = rank.threads.iter().flat_map(move |thread| thread.entries.iter().map(of_thread(thread)));
    of_threads.chain(rank.shared.iter().map(|entry| (None, entry)))
}

impl Totals {
    /// Bytes sent and received.
    pub fn bytes(&self) -> u64 {
        self.sent.saturating_add(self.received)
    }

    fn add(&mut self, rank: &Rank, entry: &CallTotal) {
        if is_nested(entry) {
            self.nested.grow(entry.count);
            return;
        }
        if entry.count > 0 {
            self.shorten(rank.clock.seconds(entry.min), entry.count - entry.open);
        }
        self.longest = self.longest.max(rank.clock.seconds(entry.max));
        self.calls.grow(entry.count);
        self.open.grow(entry.open);
        self.time += rank.clock.seconds(entry.total);
        self.sent.grow(entry.sent);
        self.received.grow(entry.received);
        self.pieces.grow(rank.pieces_of_calls(entry));
        self.failed.grow(entry.failed);
        self.prepared.0.grow(entry.prepared.0);
        self.prepared.1.grow(entry.prepared.1);
        self.entries.grow(entry.engine.entries);
        self.productive.grow(entry.engine.productive);
        self.engine += rank.clock.seconds(entry.engine.ticks);
    }

    /// Updates the shortest time for more calls, `returned` of which have returned. Open calls count only while none
    /// has.
    fn shorten(&mut self, shortest: f64, returned: u64) {
        self.shortest = match (self.calls - self.open, returned) {
            (0, 0) if self.calls > 0 => self.shortest.min(shortest),
            (0, _) => shortest,
            (_, 0) => self.shortest,
            _ => self.shortest.min(shortest),
        };
    }

    fn merge(&mut self, other: &Totals) {
        self.nested.grow(other.nested);
        if other.calls == 0 {
            return;
        }
        self.shorten(other.shortest, other.calls - other.open);
        self.longest = self.longest.max(other.longest);
        self.calls.grow(other.calls);
        self.open.grow(other.open);
        self.time += other.time;
        self.sent.grow(other.sent);
        self.received.grow(other.received);
        self.pieces.grow(other.pieces);
        self.failed.grow(other.failed);
        self.prepared.0.grow(other.prepared.0);
        self.prepared.1.grow(other.prepared.1);
        self.entries.grow(other.entries);
        self.productive.grow(other.productive);
        self.engine += other.engine;
    }
}

impl CallGroup {
    /// The totals of a rank, which no rank of those added before follows.
    fn of(&mut self, rank: u32) -> &mut Totals {
        if self.0.last().is_none_or(|(last, _)| *last != rank) {
            self.0.push((rank, Totals::default()));
        }
        let last = self.0.len() - 1;
        &mut self.0[last].1
    }

    /// All ranks together.
    pub fn sum(&self) -> Totals {
        let mut sum = Totals::default();
        for (_, totals) in &self.0 {
            sum.merge(totals);
        }
        sum
    }

    /// The totals of one rank, by its place in the run.
    pub fn of_rank(&self, rank: usize) -> Totals {
        let at = self.0.binary_search_by_key(&rank, |(at, _)| *at as usize);
        at.map_or_else(|_| Totals::default(), |at| self.0[at].1)
    }

    /// The ranks with such calls, by their places in the run.
    pub fn ranks(&self) -> impl Iterator<Item = (usize, &Totals)> {
        self.0.iter().map(|(rank, totals)| (*rank as usize, totals))
    }

    /// The longest time of a rank in these calls, and that rank.
    pub fn maximum(&self, run: &Run) -> (f64, Option<WorldRank>) {
        let most = self.0.iter().max_by(|a, b| a.1.time.total_cmp(&b.1.time));
        most.map_or((0.0, None), |(at, totals)| (totals.time, Some(world_rank(&run.ranks[*at as usize]))))
    }
}

/// The column of calls that have not returned.
pub fn open_calls() -> Column<Totals> {
    Column::count("open_calls", "open", |totals: &Totals| totals.open).means(meaning::OPEN_CALLS).silent_empty()
}

/// The column of the pieces that bytes lay in.
pub fn pieces() -> Column<Totals> {
    let pieces = |totals: &Totals| Some(totals.pieces).filter(|pieces| *pieces > 0);
    Column::count("pieces", "pieces", pieces).means(meaning::PIECES).silent_empty()
}

pub fn world_rank(rank: &Rank) -> WorldRank {
    WorldRank { world: rank.header.world, number: rank.number() }
}

/// A part of a whole in percent; `None` if the whole is 0.
pub fn percent(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| 100.0 * part / whole)
}

pub fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_two_ranks_has_every_count_of_both_and_the_shortest_and_longest_call() {
        let one = |n: u64| {
            let (time, shortest, longest) = (n as f64, 1.0 / n as f64, n as f64 / 2.0);
            let (calls, open, sent, received, pieces) = (10 * n, n, 2 * n, 3 * n, 11 * n);
            let (failed, nested, prepared) = (4 * n, 5 * n, (6 * n, 7 * n));
            let (entries, productive, engine) = (8 * n, 9 * n, n as f64 / 4.0);
            let of = Totals { calls, open, time, shortest, longest, sent, received, pieces, ..Totals::default() };
            Totals { failed, nested, prepared, entries, productive, engine, ..of }
        };
        let sum = CallGroup(vec![(0, one(1)), (1, one(2))]).sum();
        assert_eq!(sum, Totals { shortest: 0.5, longest: 1.0, ..one(3) });
    }

    #[test]
    fn the_shortest_call_is_one_that_returned_if_one_has() {
        let of = |open, shortest| Totals { calls: 1, open, shortest, ..Totals::default() };
        let shortest = |all: &[Totals]| {
            let mut sum = Totals::default();
            for one in all {
                sum.merge(one);
            }
            sum.shortest
        };
        assert_eq!(shortest(&[of(0, 2.0), of(1, 0.5)]), 2.0);
        assert_eq!(shortest(&[of(1, 0.5), of(0, 2.0)]), 2.0);
        assert_eq!(shortest(&[of(1, 0.5), of(1, 0.3)]), 0.3, "none has returned");
        assert_eq!(shortest(&[of(0, 2.0), Totals::default(), of(0, 1.0)]), 1.0);
    }
}
