//! Changes to a run that the [replay](super::replay) tries.
//!
//! In: what a user asks to change. Out: for each lane, which is one changed run, how long a computation, a call and a message
//! take there.

use std::num::NonZeroU32;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::stretches::{Around, StretchMeans};
use super::transfer_times::{Estimate, TransferTimes};

/// One time for each lane, nanoseconds. A first screen mostly replays the recorded run and two others: these need no allocation.
pub type Times = SmallVec<[i64; 3]>;

/// A change to the run. Ranks are by place in [`Run::ranks`](crate::Run::ranks), sites by number.
#[derive(Clone, PartialEq, Debug)]
pub enum RunChange {
    /// The computation of these ranks takes this many times as long.
    Ranks(Vec<u32>, f64),
    /// Calls at these sites take this many times as long, without their waits.
    Calls(Vec<u32>, f64),
    /// Computation before calls at these sites takes this many times as long.
    Before(Vec<u32>, f64),
    /// Computation after calls at these sites takes this many times as long.
    After(Vec<u32>, f64),
    /// Computation of these ranks between two calls, of which it is the pass, takes as long as this.
    Stretch(Vec<u32>, Around, PassChange),
    /// Ranks that compute between the same two calls take as long as they do on average.
    Balance,
    /// Ranks always have a core while they compute.
    OnCore,
    /// Messages take longer or shorter.
    Latency(LatencyChange, HostPair),
    /// Bandwidth is this many times as high.
    Bandwidth(f64, HostPair),
    /// Sends of up to this many bytes do not wait for their receives, and longer ones do.
    Eager(u64),
    /// Sends in calls at these sites do not wait for their receives.
    Unblocked(Vec<u32>),
    /// Calls of these ranks at these sites take no time of their own.
    Swift(Vec<u32>, Vec<u32>),
    /// The calls at these sites are not made.
    Without(Vec<u32>),
}

/// A change to each pass through a stretch of computation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PassChange {
    /// The pass takes this many times as long.
    Times(f64),
    /// The pass takes no longer than this, nanoseconds.
    AtMost(i64),
    /// Every pass takes this long, nanoseconds.
    Always(i64),
    /// The first pass of each rank takes as long as the ranks' first passes on average, and so on.
    Level,
}

impl PassChange {
    fn of(self, time: i64) -> i64 {
        match self {
            PassChange::Times(factor) => scaled(time, factor),
            PassChange::AtMost(most) => time.min(most),
            PassChange::Always(level) => level,
            PassChange::Level => time,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LatencyChange {
    /// Added nanoseconds.
    More(i64),
    /// A multiple of the latency that the run shows.
    Times(f64),
}

/// The two hosts whose messages change, by number; `None` for all messages.
pub type HostPair = Option<(u32, u32)>;

/// A changed run. Without changes it is the recorded one.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    pub changes: Vec<RunChange>,
    pub estimate: Estimate,
}

/// A dependency of a call on another rank, by which its time changes with the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DependencyWay {
    pub kind: WayKind,
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WayKind {
    /// A receive gets its message. If it takes one of any rank: how many messages its rank had sent when it was posted, and one more.
    Message(Option<NonZeroU32>),
    /// A send that waits for its receive learns of it.
    Posted,
    /// A collective call of so many ranks.
    Together(u32),
    /// A collective call of so many ranks whose result this rank does not need: it may have to hand on what others come with.
    Through(u32),
    /// A call of another rank lets the call go on.
    Step,
}

/// An interval of a rank's time in which it lacked a core for these shares of its computation. Nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct CoreLack {
    pub from: i64,
    pub until: i64,
    /// The share at most, mostly and at least.
    pub shares: [f64; 3],
}

/// All changed runs of one replay, and what is known of the recorded one.
pub struct Lanes {
    lanes: Vec<Lane>,
    /// An ideal lane alone: no call takes time, so no call has to be timed.
    pub is_ideal: bool,
    /// Computations are counted, for a later replay that levels them: all of them, or those between these sites.
    pub counts: bool,
    counted: Option<FxHashSet<Around>>,
    /// Times are summed by place, too, and not only the length of the run.
    pub has_places: bool,
    pub network: TransferTimes,
    stretches: StretchMeans,
    /// Host of each rank, by number.
    hosts: Vec<u32>,
    /// Time by which the clocks may be wrong, nanoseconds.
    pub tolerance: i64,
    /// Each rank's intervals without a core, if some lane has none.
    core_lacks: Vec<Vec<CoreLack>>,
    /// The lowest eager limit of all lanes that have another than the run.
    least_eager: Option<u64>,
}

/// One changed run.
#[derive(Default)]
struct Lane {
    is_ideal: bool,
    estimate: Option<Estimate>,
    ranks: FxHashMap<u32, f64>,
    calls: FxHashMap<u32, f64>,
    before: FxHashMap<u32, f64>,
    after: FxHashMap<u32, f64>,
    stretches: FxHashMap<(u32, Around), PassChange>,
    balanced: bool,
    on_core: bool,
    /// Some of `stretches` are levelled.
    levels: bool,
    latency: Vec<(LatencyChange, HostPair)>,
    bandwidth: Vec<(f64, HostPair)>,
    eager: Option<u64>,
    unblocked: FxHashSet<u32>,
    /// Ranks and sites.
    swift: FxHashSet<(u32, u32)>,
    without: FxHashSet<u32>,
}

/// Most lanes of one replay: marks tell by one bit each in which lanes a call is not made.
pub const MOST_LANES: usize = 64;

impl Lanes {
    /// The one run on a network without latency and of infinite bandwidth.
    pub fn ideal() -> Lanes {
        let lane = Lane { is_ideal: true, ..Lane::default() };
        Lanes {
            lanes: vec![lane],
            is_ideal: true,
            counts: false,
            counted: None,
            has_places: false,
            network: TransferTimes::default(),
            stretches: StretchMeans::default(),
            hosts: Vec::new(),
            tolerance: 0,
            core_lacks: Vec::new(),
            least_eager: None,
        }
    }

    /// No run at all: computations are counted.
    pub fn counting() -> Lanes {
        Lanes { lanes: Vec::new(), is_ideal: false, counts: true, ..Lanes::ideal() }
    }

    /// As [`Lanes::counting`], of the computations between these sites alone.
    pub fn counting_between(sites: FxHashSet<Around>) -> Lanes {
        Lanes { counted: Some(sites), ..Lanes::counting() }
    }

    /// True if computations between these sites are counted.
    pub fn counts(&self, sites: Around) -> bool {
        self.counts && self.counted.as_ref().is_none_or(|counted| counted.contains(&sites))
    }

    pub fn new(
        scenarios: &[Scenario],
        network: TransferTimes,
        stretches: StretchMeans,
        hosts: Vec<u32>,
        tolerance: i64,
    ) -> Lanes {
        let lanes: Vec<Lane> = scenarios.iter().take(MOST_LANES).map(Lane::of).collect();
        Lanes {
            core_lacks: Vec::new(),
            least_eager: lanes.iter().filter_map(|lane| lane.eager).min(),
            lanes,
            is_ideal: false,
            counts: false,
            counted: None,
            has_places: true,
            network,
            stretches,
            hosts,
            tolerance,
        }
    }

    /// Leaves out the sums by place.
    pub fn without_places(self) -> Lanes {
        Lanes { has_places: false, ..self }
    }

    pub fn with_core_lacks(self, core_lacks: Vec<Vec<CoreLack>>) -> Lanes {
        Lanes { core_lacks, ..self }
    }

    /// Adds up for how long a rank lacked a core in a computation: at most, mostly and at least. `current` is the interval that it has reached.
    pub fn lacked(&self, rank: u32, current: &mut usize, (from, until): (i64, i64)) -> [f64; 3] {
        let mut sums = [0.0; 3];
        let Some(lacks) = self.core_lacks.get(rank as usize) else { return sums };
        while let Some(lack) = lacks.get(*current) {
            let time = (lack.until.min(until) - lack.from.max(from)).max(0) as f64;
            for (sum, share) in sums.iter_mut().zip(lack.shares) {
                *sum += share * time;
            }
            if lack.until > until {
                break;
            }
            *current += 1;
        }
        sums
    }

    /// The time that a computation takes in a lane, without that in which it lacked its core.
    pub fn on_core(&self, lane: usize, time: i64, lacked: [f64; 3]) -> i64 {
        if !self.lanes[lane].on_core {
            return time;
        }
        let [most, typical, least] = lacked;
        let lacked = match self.estimate(lane) {
            Estimate::Low => most,
            Estimate::Typical => typical,
            Estimate::High => least,
        };
        time - (lacked.round() as i64).clamp(0, time)
    }

    pub fn count(&self) -> usize {
        self.lanes.len()
    }

    /// The lane whose passes and own times are kept: the changed run, which is the second.
    pub fn watched(&self) -> usize {
        usize::from(self.lanes.len() > 1)
    }

    /// This time in each lane.
    pub fn times(&self, time: i64) -> Times {
        SmallVec::from_elem(time, self.lanes.len())
    }

    /// Duration in a lane of a computation of `time`; `number` counts those of the rank between the two sites.
    pub fn computation(&self, lane: usize, rank: u32, (before, after): Around, number: u64, time: i64) -> i64 {
        let lane = &self.lanes[lane];
        let mut factor = lane.ranks.get(&rank).copied().unwrap_or(1.0);
        if let Some(before) = before {
            factor *= lane.after.get(&before).copied().unwrap_or(1.0);
        }
        factor *= lane.before.get(&after).copied().unwrap_or(1.0);
        let change = lane.stretches.get(&(rank, (before, after)));
        let time = change.map_or(time, |change| change.of(time));
        let is_levelled = lane.balanced || change == Some(&PassChange::Level);
        let level = if is_levelled { self.stretches.level((before, after), number) } else { None };
        scaled(level.unwrap_or(time), factor)
    }

    /// True if computations have to be numbered.
    pub fn numbers(&self) -> bool {
        self.counts || self.lanes.iter().any(|lane| lane.balanced || lane.levels)
    }

    /// Duration in a lane of a rank's call at a site that waits for nobody.
    pub fn call(&self, lane: usize, (rank, site): (u32, u32), time: i64) -> i64 {
        let lane = &self.lanes[lane];
        match () {
            () if lane.is_ideal || lane.without.contains(&site) || lane.swift.contains(&(rank, site)) => 0,
            () => lane.calls.get(&site).map_or(time, |factor| scaled(time, *factor)),
        }
    }

    /// The lanes in which calls at a site are not made, by bits.
    pub fn absent(&self, site: u32) -> u64 {
        self.bits(|lane| lane.without.contains(&site))
    }

    /// True if a send of so many bytes at a site does not wait for its receive in a lane.
    pub fn is_eager(&self, lane: usize, site: u32, bytes: u64) -> bool {
        let lane = &self.lanes[lane];
        lane.is_ideal || lane.eager.is_some_and(|most| bytes <= most) || lane.unblocked.contains(&site)
    }

    /// True if a send of so many bytes waits for its receive in a lane whether it did or not.
    pub fn holds_up(&self, lane: usize, bytes: u64) -> bool {
        self.lanes[lane].eager.is_some_and(|most| bytes > most)
    }

    /// True if such a send waits for its receive in some lane.
    pub fn may_hold_up(&self, bytes: u64) -> bool {
        self.least_eager.is_some_and(|most| bytes > most)
    }

    /// True if a lane has another eager limit than the run.
    pub fn has_eager_limit(&self) -> bool {
        self.least_eager.is_some()
    }

    fn bits(&self, holds: impl Fn(&Lane) -> bool) -> u64 {
        let holding = self.lanes.iter().enumerate().filter(|(_, lane)| holds(lane));
        holding.fold(0, |bits, (at, _)| bits | 1 << at)
    }

    pub fn estimate(&self, lane: usize) -> Estimate {
        self.lanes[lane].estimate.unwrap_or(Estimate::Typical)
    }

    /// Duration in a lane of a dependency that took `time` of a rank's call at a site.
    pub fn way(&self, lane: usize, way: DependencyWay, at: (u32, u32), time: i64) -> i64 {
        let of_lane = &self.lanes[lane];
        if of_lane.is_ideal {
            return 0;
        }
        let mut time = self.call(lane, at, time);
        if of_lane.latency.is_empty() && of_lane.bandwidth.is_empty() {
            return time;
        }
        let applies = |between: &HostPair| between.is_none_or(|between| self.goes(way, between));
        for (change, _) in of_lane.latency.iter().filter(|(_, between)| applies(between)) {
            let once = match change {
                LatencyChange::More(more) => *more,
                LatencyChange::Times(factor) => scaled(self.network.latency(), factor - 1.0),
            };
            time = time.saturating_add(once.saturating_mul(self.trips(way)));
        }
        for (factor, _) in of_lane.bandwidth.iter().filter(|(_, between)| applies(between)) {
            time = time.saturating_add(scaled(self.network.on_the_wire(way.bytes), 1.0 / factor - 1.0));
        }
        time.max(0)
    }

    /// True if a dependency is between the two hosts.
    fn goes(&self, way: DependencyWay, (one, other): (u32, u32)) -> bool {
        let host = |rank: u32| self.hosts.get(rank as usize).copied();
        match way.kind {
            WayKind::Together(_) | WayKind::Through(_) => true,
            _ => [(Some(one), Some(other)), (Some(other), Some(one))].contains(&(host(way.from), host(way.to))),
        }
    }

    /// Number of times that the latency of the network is paid.
    fn trips(&self, way: DependencyWay) -> i64 {
        match way.kind {
            // The sender asks, the receiver grants, the data follows.
            WayKind::Message(_) if self.network.waits_for_receive(way.bytes) => 3,
            WayKind::Message(_) | WayKind::Posted | WayKind::Step => 1,
            // A tree, or recursive doubling.
            WayKind::Together(ranks) | WayKind::Through(ranks) => i64::from(ranks.max(1).next_power_of_two().ilog2()),
        }
    }
}

impl Lane {
    fn of(scenario: &Scenario) -> Lane {
        let mut lane = Lane { estimate: Some(scenario.estimate), ..Lane::default() };
        for change in &scenario.changes {
            match change {
                RunChange::Ranks(ranks, factor) => multiply(&mut lane.ranks, ranks, *factor),
                RunChange::Calls(sites, factor) => multiply(&mut lane.calls, sites, *factor),
                RunChange::Before(sites, factor) => multiply(&mut lane.before, sites, *factor),
                RunChange::After(sites, factor) => multiply(&mut lane.after, sites, *factor),
                RunChange::Stretch(ranks, around, change) => {
                    lane.levels |= *change == PassChange::Level;
                    lane.stretches.extend(ranks.iter().map(|rank| ((*rank, *around), *change)));
                }
                RunChange::Balance => lane.balanced = true,
                RunChange::OnCore => lane.on_core = true,
                RunChange::Latency(change, between) => lane.latency.push((*change, *between)),
                RunChange::Bandwidth(factor, between) => lane.bandwidth.push((*factor, *between)),
                RunChange::Eager(bytes) => lane.eager = lane.eager.max(Some(*bytes)),
                RunChange::Unblocked(sites) => lane.unblocked.extend(sites),
                RunChange::Swift(ranks, sites) => {
                    lane.swift.extend(ranks.iter().flat_map(|rank| sites.iter().map(|site| (*rank, *site))));
                }
                RunChange::Without(sites) => lane.without.extend(sites),
            }
        }
        lane
    }
}

fn multiply(factors: &mut FxHashMap<u32, f64>, keys: &[u32], factor: f64) {
    for key in keys {
        *factors.entry(*key).or_insert(1.0) *= factor;
    }
}

fn scaled(time: i64, factor: f64) -> i64 {
    if factor == 1.0 { time } else { (time as f64 * factor).round() as i64 }
}
