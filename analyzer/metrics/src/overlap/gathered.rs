//! Groups the nonblocking requests of all ranks by call site and size.

use std::collections::BTreeMap;

use traces::calls::Call;

use super::benchmarks::SmbLoop;
use super::means::{BatchesByRank, RankBatches, WaitForm};
use super::transfer_time::{NearTransfers, TransferTime};
use model::overlap::{Lives, Pass, Posting, PostingLives, RankRequests, Transmission};
use model::sums::Total;
use model::{Rank, Run};

/// Maximum number of sizes of one call site that get their own rows; with more, sizes from a power of two to the next are
/// merged.
pub const SIZES: usize = 32;
/// Maximum number of sizes from a power of two to the next. Programs whose data moves between ranks hardly send the same size twice.
const SIZES_OF_POWER: usize = 4;

/// The function and the call site that post requests.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PostingSite {
    pub traffic: Transmission,
    pub function: String,
    pub site: String,
    /// The number of ranks of the communicator, for collective calls.
    pub ranks: Option<u64>,
}

/// Bytes of a request: one number, or a range from a power of two to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RequestSize {
    /// The number, or the begin of the range.
    pub bytes: u64,
    /// The end of the range, exclusive; `None` for a single number.
    pub below: Option<u64>,
}

/// The properties of a request that determine its transfer time: traffic, function, and ranks of the communicator.
type Kind = (Transmission, String, Option<u64>);

/// The nonblocking requests of a run, in groups.
#[derive(Default)]
pub struct GatheredRequests {
    /// The lives of the requests, by place and size.
    pub lives: BTreeMap<(PostingSite, RequestSize), Lives>,
    /// Loops that work longer from level to level, after Doerfler and Brightwell. Only the first rank with figures counts, or the
    /// first with such a loop.
    pub loops: BTreeMap<(PostingSite, RequestSize), SmbLoop>,
    batches: BTreeMap<(PostingSite, RequestSize), FormBatches>,
    /// Transfer times at places that wait right after the post.
    own_transfers: BTreeMap<(PostingSite, RequestSize), TransferTime>,
    /// Transfer times by kind and size, over all places.
    transfers: BTreeMap<Kind, BTreeMap<u64, TransferTime>>,
    /// Posted requests, including ranks and times outside the selection.
    pub posted: u64,
    /// Requests that were not completed.
    pub pending: u64,
    /// Requests that another thread completed.
    pub foreign: u64,
}

/// Batches of requests that were waited for right after the post, and of the others. A few that differ from most of
/// their place and size are counted with those.
#[derive(Default)]
struct FormBatches {
    right_after: BatchesByRank,
    later: BatchesByRank,
    /// The passes of both that a benchmark would print: all requests, if there are no passes.
    printed_right_after: BatchesByRank,
    printed_later: BatchesByRank,
}

/// Requests that were waited for right after the post warm up, and tell no transfer time, if another place has at least this many times
/// as many of their size.
const WARM_UP: f64 = 5.0;

impl GatheredRequests {
    /// Groups the requests of the selected ranks.
    pub fn of(run: &Run, requests: Vec<RankRequests>) -> GatheredRequests {
        let sum = |count: fn(&RankRequests) -> u64| requests.iter().map(count).total();
        let (posted, pending, foreign) = (sum(|rank| rank.posted), sum(|rank| rank.pending), sum(|rank| rank.foreign));
        let mut gathered = GatheredRequests { posted, pending, foreign, ..Default::default() };
        let mut by_bytes: BTreeMap<PostingSite, BTreeMap<u64, Vec<(u32, PostingLives)>>> = BTreeMap::new();
        for (at, (rank, requests)) in (0u32..).zip(run.asked().zip(requests)) {
            for (posting, lives) in requests.lives {
                let sizes = by_bytes.entry(place(run, rank, &posting)).or_default();
                sizes.entry(posting.bytes).or_default().push((at, lives));
            }
            for (posting, found) in requests.loops {
                let key = (place(run, rank, &posting), RequestSize::of(posting.bytes, false));
                let Some(own) = SmbLoop::of(&found, rank.clock.seconds(1) * 1e9) else { continue };
                let known = gathered.loops.entry(key).or_insert(own);
                if known.figures.is_none() {
                    *known = own;
                }
            }
        }
        for (place, sizes) in by_bytes {
            let is_many = are_many(sizes.keys().copied());
            for (bytes, ranks) in sizes {
                gathered.add((place.clone(), RequestSize::of(bytes, is_many)), ranks);
            }
        }
        gathered.find_transfers();
        gathered
    }

    fn add(&mut self, key: (PostingSite, RequestSize), ranks: Vec<(u32, PostingLives)>) {
        let mut all = Lives::default();
        for (_, of_rank) in &ranks {
            all.merge(&of_rank.lives);
        }
        let form = WaitForm::of(&all);
        let batches = self.batches.entry(key.clone()).or_default();
        for (rank, of_rank) in &ranks {
            let [direct, postponed] = &of_rank.batches;
            let (right_after, later) = match form {
                WaitForm::RightAfter => (vec![direct, postponed], Vec::new()),
                WaitForm::Later => (Vec::new(), vec![direct, postponed]),
                WaitForm::Both => (vec![direct], vec![postponed]),
            };
            for (to, from) in [(&mut batches.right_after, right_after), (&mut batches.later, later)] {
                for own in from.into_iter().filter(|own| own.count() > 0) {
                    to.entry(*rank).or_default().add(own);
                }
            }
        }
        batches.printed_right_after = printed(&ranks, &batches.right_after, 0);
        batches.printed_later = printed(&ranks, &batches.later, 1);
        self.lives.entry(key).or_default().merge(&all);
    }

    fn find_transfers(&mut self) {
        let mut by_kind: BTreeMap<(Kind, u64), Vec<_>> = BTreeMap::new();
        for (key, lives) in self.lives.iter().filter(|(_, lives)| WaitForm::of(lives) != WaitForm::Later) {
            by_kind.entry((kind(&key.0), key.1.bytes)).or_default().push((key, lives));
        }
        for ((kind, bytes), places) in by_kind {
            let right_after = |lives: &Lives| lives.of_direct.count();
            let most = places.iter().map(|(_, lives)| right_after(lives)).max().unwrap_or(0);
            let (mut direct, mut behind) = (Vec::new(), Vec::new());
            let (mut batches, mut printed) = (BatchesByRank::new(), BatchesByRank::new());
            let is_warm_up = |count: u64| WARM_UP * count as f64 <= most as f64;
            for (key, lives) in places.into_iter().filter(|(_, lives)| !is_warm_up(right_after(lives))) {
                let own = &self.batches[key];
                let ranks = [&own.right_after, &own.printed_right_after];
                if let Some(time) = TransferTime::of(lives.waited_right_after(), lives.behind.values(), ranks) {
                    self.own_transfers.insert(key.clone(), time);
                }
                direct.extend(lives.waited_right_after());
                behind.extend(lives.behind.values());
                for (all, own) in [&mut batches, &mut printed].into_iter().zip(ranks) {
                    for (rank, own) in own {
                        all.entry(*rank).or_default().extend(own);
                    }
                }
            }
            if let Some(time) = TransferTime::of(direct.into_iter(), behind.into_iter(), [&batches, &printed]) {
                self.transfers.entry(kind).or_default().insert(bytes, time);
            }
        }
    }

    /// The transfer time of a size, from all places where such requests were waited for right after the post.
    pub fn transfer(&self, place: &PostingSite, bytes: u64) -> Option<&TransferTime> {
        self.transfers.get(&kind(place))?.get(&bytes)
    }

    pub fn own_transfer(&self, place: &PostingSite, size: RequestSize) -> Option<&TransferTime> {
        self.own_transfers.get(&(place.clone(), size))
    }

    /// The transfer times of the nearest sizes on both sides.
    pub fn near(&self, place: &PostingSite, bytes: u64) -> NearTransfers<'_> {
        let Some(sizes) = self.transfers.get(&kind(place)) else { return NearTransfers::default() };
        NearTransfers {
            smaller: sizes.range(..=bytes).next_back().map(|(_, time)| time),
            larger: sizes.range(bytes..).next().map(|(_, time)| time),
        }
    }

    /// Batches of the requests that were waited for later, if there are any.
    pub fn later(&self, place: &PostingSite, size: RequestSize) -> Option<&BatchesByRank> {
        self.batches.get(&(place.clone(), size)).map(|batches| &batches.later).filter(|ranks| !ranks.is_empty())
    }

    /// The pass of the requests that were waited for later, as a benchmark would print it.
    pub fn printed_later(&self, place: &PostingSite, size: RequestSize) -> Option<&BatchesByRank> {
        self.batches.get(&(place.clone(), size)).map(|batches| &batches.printed_later).filter(|ranks| !ranks.is_empty())
    }

    pub fn right_after(&self, place: &PostingSite, size: RequestSize) -> Option<&BatchesByRank> {
        self.batches.get(&(place.clone(), size)).map(|batches| &batches.right_after)
    }

    /// The sum of a count over all groups.
    pub fn total(&self, count: fn(&Lives) -> u64) -> u64 {
        self.lives.values().map(count).total()
    }

    /// The groups of collective operations, or of messages.
    pub fn rows(&self, of_collectives: bool) -> impl Iterator<Item = (&PostingSite, RequestSize, &Lives)> {
        let is_meant = move |place: &PostingSite| (place.traffic == Transmission::Collective) == of_collectives;
        self.lives.iter().filter(move |((place, _), _)| is_meant(place)).map(|((place, size), l)| (place, *size, l))
    }

    /// True if some size has no transfer time.
    pub fn is_bounded(&self) -> bool {
        self.lives.keys().any(|(place, size)| self.transfer(place, size.bytes).is_none())
    }
}

impl RequestSize {
    /// The size of a request, or its range if the place has many sizes.
    pub fn of(bytes: u64, is_many: bool) -> RequestSize {
        match bytes.checked_ilog2() {
            Some(power) if is_many => RequestSize { bytes: 1 << power, below: Some((1u64 << power).saturating_mul(2)) },
            _ => RequestSize { bytes, below: None },
        }
    }
}

/// The pass of each rank that a benchmark would print, of the requests that were waited for at once, kind 0, or later, kind 1; `all` of
/// its requests if it has no pass.
fn printed(ranks: &[(u32, PostingLives)], all: &BatchesByRank, kind: usize) -> BatchesByRank {
    let of_rank = |(rank, all): (&u32, &RankBatches)| {
        let own = ranks.iter().filter(|(other, _)| other == rank);
        let pass = Pass::printed(own.filter_map(|(_, lives)| lives.passes[kind].as_ref()));
        (*rank, pass.map_or_else(|| all.clone(), |pass| RankBatches::of(&pass.batches)))
    };
    all.iter().map(of_rank).collect()
}

/// True if sizes, given in ascending order, are too many for a row each.
fn are_many(sizes: impl Iterator<Item = u64>) -> bool {
    let sizes: Vec<u64> = sizes.collect();
    let crowded = |of_power: &[u64]| of_power.len() > SIZES_OF_POWER;
    sizes.len() > SIZES || sizes.chunk_by(|a, b| a.checked_ilog2() == b.checked_ilog2()).any(crowded)
}

fn kind(place: &PostingSite) -> Kind {
    (place.traffic, place.function.clone(), place.ranks)
}

fn place(run: &Run, rank: &Rank, posting: &Posting) -> PostingSite {
    let Posting { traffic, call, site, object, .. } = *posting;
    let size = || rank.communicators.get(&object).map(|communicator| communicator.size.into());
    PostingSite {
        traffic,
        function: Call::from_number(call).map_or_else(String::new, Call::mpi_name),
        site: run.sites.place(rank, site),
        ranks: if traffic == Transmission::Collective { size() } else { None },
    }
}
