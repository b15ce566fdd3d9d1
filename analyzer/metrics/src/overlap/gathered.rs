//! The requests of all ranks by what was posted and where.

use std::collections::{BTreeMap, BTreeSet};

use traces::calls::Call;

use super::transfer::TransferTime;
use model::overlap::{Lives, Posting, RankRequests, RequestLife, Transmission};
use model::sums::Total;
use model::{Rank, Run};

/// Sizes of one call site that are told apart; of more, those from a power of two to the next stand together.
pub const SIZES: usize = 32;

/// What was posted, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PostingSite {
    pub traffic: Transmission,
    pub function: String,
    pub site: String,
    /// Of collective calls, the ranks of their communicator.
    pub ranks: Option<u64>,
}

/// Bytes of a request: one number, or from a power of two to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RequestSize {
    /// The number, or the least.
    pub bytes: u64,
    /// What they are less than, where they may differ.
    pub below: Option<u64>,
}

/// What is alike whatever the call site.
type Kind = (Transmission, String, Option<u64>);

/// See the module.
pub struct GatheredRequests {
    /// By place and size.
    pub lives: BTreeMap<(PostingSite, RequestSize), Lives>,
    /// Transfer times by size, of all places.
    transfers: BTreeMap<Kind, BTreeMap<u64, TransferTime>>,
    /// Requests that were posted, whether asked about or not.
    pub posted: u64,
    /// Those that were not completed.
    pub pending: u64,
    /// Those that another thread completed.
    pub foreign: u64,
}

impl GatheredRequests {
    /// Of the ranks that are asked about.
    pub fn of(run: &Run, requests: Vec<RankRequests>) -> GatheredRequests {
        let sum = |of: fn(&RankRequests) -> u64| requests.iter().map(of).total();
        let (posted, pending, foreign) = (sum(|rank| rank.posted), sum(|rank| rank.pending), sum(|rank| rank.foreign));
        let mut by_bytes: BTreeMap<PostingSite, BTreeMap<u64, Lives>> = BTreeMap::new();
        for (rank, requests) in run.asked().zip(requests) {
            for (posting, lives) in requests.lives {
                let sizes = by_bytes.entry(place(run, rank, &posting)).or_default();
                sizes.entry(posting.bytes).or_default().merge(&lives);
            }
        }
        let mut gathered =
            GatheredRequests { lives: BTreeMap::new(), transfers: BTreeMap::new(), posted, pending, foreign };
        for (place, sizes) in by_bytes {
            let is_many = sizes.len() > SIZES;
            for (bytes, lives) in sizes {
                gathered.lives.entry((place.clone(), RequestSize::of(bytes, is_many))).or_default().merge(&lives);
            }
        }
        gathered.transfers = transfers(&gathered.lives);
        gathered
    }

    /// The transfer time of a size, at whatever place it was waited for right after.
    pub fn transfer(&self, place: &PostingSite, bytes: u64) -> Option<TransferTime> {
        self.transfers.get(&kind(place))?.get(&bytes).copied()
    }

    /// What a transfer takes at least: what nine of ten take of the largest known size that is at most half as large, and of its own
    /// where that is known.
    pub fn least_transfer(&self, place: &PostingSite, bytes: u64) -> Option<f64> {
        let sizes = self.transfers.get(&kind(place))?;
        let of_smaller = sizes.range(..=bytes / 2).next_back()?.1.least;
        Some(sizes.get(&bytes).map_or(of_smaller, |own| own.least.min(of_smaller)))
    }

    /// All together.
    pub fn total(&self, of: fn(&Lives) -> u64) -> u64 {
        self.lives.values().map(of).total()
    }

    /// Those of messages, or of collective calls.
    pub fn rows(&self, of_collectives: bool) -> impl Iterator<Item = (&PostingSite, RequestSize, &Lives)> {
        let is_meant = move |place: &PostingSite| (place.traffic == Transmission::Collective) == of_collectives;
        self.lives.iter().filter(move |((place, _), _)| is_meant(place)).map(|((place, size), l)| (place, *size, l))
    }

    /// Whether some size has no transfer time.
    pub fn is_bounded(&self) -> bool {
        self.lives.keys().any(|(place, size)| self.transfer(place, size.bytes).is_none())
    }

    /// Sizes that a place has, the smallest first.
    pub fn places(&self) -> BTreeSet<&PostingSite> {
        self.lives.keys().map(|(place, _)| place).collect()
    }
}

impl RequestSize {
    /// Of so many bytes, where there are many sizes or few.
    pub fn of(bytes: u64, is_many: bool) -> RequestSize {
        match bytes.checked_ilog2() {
            Some(power) if is_many => RequestSize { bytes: 1 << power, below: Some((1u64 << power).saturating_mul(2)) },
            _ => RequestSize { bytes, below: None },
        }
    }
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

fn transfers(lives: &BTreeMap<(PostingSite, RequestSize), Lives>) -> BTreeMap<Kind, BTreeMap<u64, TransferTime>> {
    let mut direct: BTreeMap<Kind, BTreeMap<u64, Vec<&RequestLife>>> = BTreeMap::new();
    for ((place, size), lives) in lives {
        direct.entry(kind(place)).or_default().entry(size.bytes).or_default().extend(lives.waited_right_after());
    }
    let known = |sizes: BTreeMap<u64, Vec<&RequestLife>>| {
        sizes.iter().filter_map(|(bytes, lives)| Some((*bytes, TransferTime::of(lives.iter().copied())?))).collect()
    };
    direct.into_iter().map(|(kind, sizes)| (kind, known(sizes))).collect()
}
