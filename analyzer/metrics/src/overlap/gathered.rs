//! Groups the nonblocking requests of all ranks by call site and size.

use std::collections::BTreeMap;

use traces::calls::Call;

use super::benchmarks::SmbFigures;
use super::means::{BatchesByRank, FEW, WaitForm};
use super::transfer_time::{NearTransfers, TransferTime};
use model::overlap::{Lives, Posting, PostingLives, RankRequests, Transmission};
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
    /// Loops that work longer from level to level, after Doerfler and Brightwell. Only the first rank with such a loop counts.
    pub loops: BTreeMap<(PostingSite, RequestSize), SmbFigures>,
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
}

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
                if let Some(figures) = SmbFigures::of(&found, rank.clock.seconds(1) * 1e9) {
                    gathered.loops.entry(key).or_insert(figures);
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
        for (rank, of_rank) in ranks {
            let [direct, postponed] = &of_rank.batches;
            let (right_after, later) = match form {
                WaitForm::RightAfter => (vec![direct, postponed], Vec::new()),
                WaitForm::Later => (Vec::new(), vec![direct, postponed]),
                WaitForm::Both => (vec![direct], vec![postponed]),
            };
            for (to, from) in [(&mut batches.right_after, right_after), (&mut batches.later, later)] {
                for own in from.into_iter().filter(|own| own.count() > 0) {
                    to.entry(rank).or_default().add(own);
                }
            }
        }
        self.lives.entry(key).or_default().merge(&all);
    }

    fn find_transfers(&mut self) {
        let mut by_kind: BTreeMap<(Kind, u64), Vec<_>> = BTreeMap::new();
        for (key, lives) in self.lives.iter().filter(|(_, lives)| WaitForm::of(lives) != WaitForm::Later) {
            by_kind.entry((kind(&key.0), key.1.bytes)).or_default().push((key, lives));
        }
        for ((kind, bytes), places) in by_kind {
            let all = places.iter().map(|(_, lives)| lives.requests).total();
            let (mut direct, mut behind, mut batches) = (Vec::new(), Vec::new(), BatchesByRank::new());
            for (key, lives) in places {
                let own = &self.batches[key].right_after;
                if let Some(time) = TransferTime::of(lives.waited_right_after(), lives.behind.values(), own) {
                    self.own_transfers.insert(key.clone(), time);
                }
                // A place with a small share of the requests is where a benchmark warms up.
                if lives.requests as f64 >= FEW * all as f64 {
                    direct.extend(lives.waited_right_after());
                    behind.extend(lives.behind.values());
                    for (rank, own) in own {
                        batches.entry(*rank).or_default().extend(own);
                    }
                }
            }
            if let Some(time) = TransferTime::of(direct.into_iter(), behind.into_iter(), &batches) {
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
