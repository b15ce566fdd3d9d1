//! Replays a run with something changed.
//!
//! In: a run, and scenarios. Out: each rank's time in each of them, by place. The run is matched once, which tells what messages mostly
//! take and what each call depends on; then its calls are read again, to be replayed in all scenarios.

use rustc_hash::FxHashSet;

use crate::Run;
use crate::common_clock::ClockLine;
use crate::matching::scenario::{CoreLack, Lanes, PassChange, RunChange, Scenario};
use crate::matching::{
    Around, Estimate, Follow, HandedOut, OwnTimes, RankReplay, RankTime, Settled, StretchMeans, TransferTimes,
    replayed, settled, stretch_means,
};

/// Parts of an account that a replay needs: without them, no message shows how long those take that would not have waited.
pub const NEEDS: Follow = Follow::TRANSFERS.union(Follow::QUEUES).union(Follow::REPLAYS);

/// A run that can be replayed.
pub struct Replayable<'a> {
    run: &'a Run,
    pub settled: Settled,
    pub network: TransferTimes,
    /// Mean computations, if a scenario may level them.
    stretches: StretchMeans,
    /// Hosts by number, and each rank's.
    pub hosts: Vec<String>,
    host_of: Vec<u32>,
    /// Each rank's intervals without a core, if a scenario gives it one.
    pub core_lacks: Vec<Vec<CoreLack>>,
}

/// The run in each scenario.
pub struct Replayed {
    pub ranks: Vec<RankReplay>,
    pub times: Vec<RankTime>,
}

impl<'a> Replayable<'a> {
    /// Reads the run; `balance`: the mean computations, too.
    pub fn of(run: &'a Run, balance: bool) -> Replayable<'a> {
        let settled = settled(run, NEEDS);
        let stretches = if balance { means(run, &settled, None) } else { StretchMeans::default() };
        let network = TransferTimes::of(&settled.account);
        let (mut hosts, mut host_of): (Vec<String>, Vec<u32>) = (Vec::new(), Vec::new());
        for rank in &run.ranks {
            let host = &rank.process.host;
            let number = hosts.iter().position(|other| other == host).unwrap_or_else(|| {
                hosts.push(host.clone());
                hosts.len() - 1
            });
            host_of.push(number as u32);
        }
        Replayable { run, settled, network, stretches, hosts, host_of, core_lacks: Vec::new() }
    }

    /// Maximum error of a time between two ranks, nanoseconds.
    pub fn clock_error(&self) -> i64 {
        clock_error(&self.settled)
    }

    pub fn replay(&self, scenarios: &[Scenario]) -> Replayed {
        let (settled, network) = (&self.settled, self.network.clone());
        let lanes = Lanes::new(scenarios, network, self.stretches.clone(), self.host_of.clone(), clock_error(settled));
        replay(self.run, settled, lanes.with_core_lacks(self.core_lacks.clone()))
    }
}

/// Replays a run that was matched with [`NEEDS`] in scenarios that change no network, for its length alone.
pub fn lengths(run: &Run, settled: &Settled, scenarios: &[Scenario]) -> Replayed {
    let levelled: FxHashSet<Around> = scenarios.iter().flat_map(Scenario::levelled).collect();
    let stretches = match levelled.is_empty() {
        true => StretchMeans::default(),
        false => means(run, settled, Some(levelled)),
    };
    let network = TransferTimes::of(&settled.account);
    let lanes = Lanes::new(scenarios, network, stretches, Vec::new(), clock_error(settled));
    replay(run, settled, lanes.without_places())
}

fn replay(run: &Run, settled: &Settled, lanes: Lanes) -> Replayed {
    let Settled { account, common_clock, .. } = settled;
    let in_vain = |rank: usize| account.times[rank].in_vain;
    let (ranks, times) = replayed(run, common_clock, &account.dependencies, lanes, in_vain);
    Replayed { ranks, times }
}

fn means(run: &Run, settled: &Settled, sites: Option<FxHashSet<Around>>) -> StretchMeans {
    stretch_means(run, &settled.common_clock, &settled.account.dependencies, sites)
}

/// Maximum error of a time between two ranks, nanoseconds.
pub fn clock_error(settled: &Settled) -> i64 {
    let of_rank = |(line, time): (&ClockLine, &RankTime)| line.error(time.begin).max(line.error(time.end));
    let most = settled.common_clock.lines.iter().zip(&settled.account.times).map(of_rank).max();
    most.unwrap_or(0).saturating_mul(2)
}

impl Scenario {
    /// The sites around computations that are levelled pass by pass.
    fn levelled(&self) -> impl Iterator<Item = Around> {
        self.changes.iter().filter_map(|change| match change {
            RunChange::Stretch(_, around, PassChange::Level) => Some(*around),
            _ => None,
        })
    }

    /// The recorded run.
    pub fn recorded() -> Scenario {
        Scenario { changes: Vec::new(), estimate: Estimate::Typical }
    }

    pub fn with(changes: &[RunChange], estimate: Estimate) -> Scenario {
        Scenario { changes: changes.to_vec(), estimate }
    }
}

impl Replayed {
    /// Length of the recorded run: the longest rank's, nanoseconds.
    pub fn recorded(&self) -> i64 {
        self.times.iter().map(|time| time.end.saturating_sub(time.begin)).max().unwrap_or(0)
    }

    /// Length of the run in a scenario.
    pub fn length(&self, scenario: usize) -> i64 {
        let of_rank = |(rank, time): (&RankReplay, &RankTime)| rank.end[scenario].saturating_sub(time.begin);
        self.ranks.iter().zip(&self.times).map(of_rank).max().unwrap_or(0)
    }

    /// The rank that ends last in a scenario, by place in [`Run::ranks`].
    pub fn last(&self, scenario: usize) -> Option<usize> {
        (0..self.ranks.len()).max_by_key(|rank| self.ranks[*rank].end[scenario])
    }

    /// Twice the standard deviation by which the lengths of two runs of a scenario differ, nanoseconds, as far as the parts of this one
    /// show it; `None` if they do not. The rank that ends last tells, or if it waits for nobody and makes no call often, another one.
    pub fn variation(&self, scenario: usize) -> Option<i64> {
        let variance = |rank: &RankReplay| rank.places.variance(self.length(scenario));
        let others = || self.ranks.iter().filter_map(variance).max_by(f64::total_cmp);
        let variance = self.last(scenario).and_then(|last| variance(&self.ranks[last])).or_else(others)?;
        Some((2.0 * (2.0 * variance).sqrt()) as i64)
    }

    /// By how much the calls of the rank that ends last may take longer or shorter by themselves, nanoseconds.
    pub fn own_times(&self, scenario: usize) -> i64 {
        let Some(last) = self.last(scenario).map(|last| &self.ranks[last].places) else { return 0 };
        let own = OwnTimes::error(&last.own, self.ranks.iter().map(|rank| &rank.places.own));
        let busy = OwnTimes::error(&last.busy_own, self.ranks.iter().map(|rank| &rank.places.busy_own));
        (own + busy) as i64
    }

    /// Time of a rank in a scenario without its waits, nanoseconds.
    pub fn busy(&self, rank: usize, scenario: usize) -> i64 {
        let RankReplay { end, places, .. } = &self.ranks[rank];
        let waits: i64 = places.waits.values().map(|place| place.times[scenario]).sum();
        end[scenario].saturating_sub(self.times[rank].begin).saturating_sub(waits)
    }

    /// Ranks that would hand out their work in another order, by place.
    pub fn handing_out(&self) -> impl Iterator<Item = (usize, &HandedOut)> {
        let all = self.ranks.iter().map(|rank| &rank.places.handed_out).enumerate();
        all.filter(|(_, handed_out)| handed_out.earlier > 0)
    }

    /// A sender and a receiver that wait for each other, by place: the program hangs in one of the scenarios.
    pub fn hangs(&self) -> Option<(u32, u32)> {
        self.ranks.iter().find_map(|rank| rank.stuck)
    }

    /// Dependencies that the recorded run did not keep.
    pub fn dropped(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.dropped).sum()
    }
}
