//! Time that ranks were ready to run, but did not: other ranks, threads or processes had the cores.
//!
//! In: the recorder's readings at both ends of the run. Out: the time for which the scheduler delayed each rank's own
//! work, and the cores that ranks share.
//!
//! Ranks that wait in MPI mostly poll, and are delayed like those that work, without a cost to the run. So a rank's
//! delay is divided between time outside MPI in which it was ready, and time in MPI.

use std::collections::BTreeMap;

use traces::calls::Call;
use traces::definitions::{HostTime, Machine};

use crate::grouped_in_order::grouped_in_order;
use model::rank::{ThrottledBetween, is_nested};
use model::sums::Total;
use model::{Rank, Run};

/// A smaller share of the time is not reported. A guess: not yet measured against ranks with a core each on a quiet host.
pub const LEAST_SHARE_OF_DELAYS: f64 = 0.05;

/// A rank's main thread between the end of MPI_Init and the start of MPI_Finalize. Times in seconds.
pub struct Scheduled {
    pub wall: f64,
    pub delay: f64,
    /// Time outside MPI.
    pub outside: f64,
    /// The part of the delay that lies outside MPI. Time in which the thread slept counts as outside as far as the time
    /// outside reaches: a rank that polls never sleeps in MPI.
    pub work_delay: f64,
    /// Time in which the thread was not ready to run: it slept, or waited for input or output.
    pub slept: f64,
    /// Upper bound of `work_delay`: all of the delay, as far as the time outside MPI in which the rank was ready has
    /// room for it.
    pub most_work_delay: f64,
}

impl Scheduled {
    /// The share of the time in MPI in which the rank ran, or slept.
    pub fn running_in_mpi(&self) -> f64 {
        let in_mpi = self.wall - self.outside;
        if in_mpi > 0.0 { (1.0 - (self.delay - self.work_delay) / in_mpi).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// A smaller share of a rank's time that lies between its readings does not stand for the rest. A killed rank's last
/// reading may be one of its first second.
const LEAST_READ: f64 = 0.5;

/// `None` if the recorder could not read the delay, or not that of most of the time, or if only a part of the rank's time is
/// selected.
pub fn scheduled(rank: &Rank) -> Option<Scheduled> {
    if rank.is_part() {
        return None;
    }
    let usage = rank.main_usage()?;
    let (wall, delay, ran) = (usage.wall, usage.delay?.min(usage.wall), usage.processor()?);
    let recorded =
        if usage.is_whole { wall } else { rank.clock.seconds(rank.until.saturating_sub(rank.header.ready.ticks)) };
    if wall < LEAST_READ * recorded {
        return None;
    }
    let in_mpi = main_time_in_mpi(rank).min(recorded);
    let outside = if recorded > 0.0 { wall * (1.0 - in_mpi / recorded) } else { 0.0 };
    let slept = (wall - ran - delay).max(0.0);
    let ready = (outside - slept).max(0.0);
    let work_delay = if delay > 0.0 { (delay * ready / (ran + delay)).min(ready) } else { 0.0 };
    Some(Scheduled { wall, delay, outside, slept, work_delay, most_work_delay: delay.min(ready) })
}

/// Seconds for which a rank's mean thread was outside MPI, less those for which the main thread was kept from running there.
pub fn undelayed_computation(rank: &Rank) -> f64 {
    let delayed = scheduled(rank).map_or(0.0, |delay| delay.work_delay);
    (rank.mean_computation() - delayed).max(0.0)
}

/// The share of the ranks' time in which they were ready to run but did not; `None` if it is unknown of all.
pub fn delayed_share(run: &Run) -> Option<f64> {
    let all: Vec<Scheduled> = run.asked().filter_map(scheduled).collect();
    let sum = |figure: fn(&Scheduled) -> f64| all.iter().map(figure).sum::<f64>();
    let wall = sum(|one| one.wall);
    (wall > 0.0).then(|| sum(|one| one.delay) / wall)
}

/// Time in MPI of the thread that initialized it, without starting and ending MPI.
fn main_time_in_mpi(rank: &Rank) -> f64 {
    let entries = rank.threads.first().into_iter().flat_map(|thread| &thread.entries);
    let counts = |call: u16| Call::from_number(call).is_none_or(|call| !call.begins_mpi() && !call.ends_mpi());
    let inside = entries.filter(|entry| !is_nested(entry) && counts(entry.signature.call));
    rank.clock.seconds(inside.map(|entry| entry.total).total())
}

/// Ranks of one host and the cores that they, and no others, are limited to.
pub struct SharedCores<'r> {
    pub host: &'r str,
    pub ranks: Vec<&'r Rank>,
    pub cores: Vec<u32>,
    /// Cores that the control group lets the ranks keep busy.
    pub usable: f64,
    /// The host's cores that are online; 0 if unknown.
    pub online: usize,
}

impl SharedCores<'_> {
    pub fn ranks_a_core(&self) -> f64 {
        self.ranks.len() as f64 / self.usable
    }

    /// Threads of the mean rank that ran or were ready to run, rounded; 1 if they are unknown.
    pub fn busy_threads(&self) -> u64 {
        let of_rank = |rank: &&Rank| {
            let usage = rank.process_usage()?;
            Some((usage.processor()? + usage.delay?) / usage.wall)
        };
        let all: Option<f64> = self.ranks.iter().map(of_rank).sum();
        all.map_or(1, |all| (all / self.ranks.len() as f64).round().max(1.0) as u64)
    }

    /// True if the control group lets the ranks use less than their cores.
    pub fn is_limited(&self) -> bool {
        self.usable < self.cores.len() as f64
    }

    /// True if the ranks' threads outnumber the cores.
    pub fn is_crowded(&self) -> bool {
        self.ranks_a_core() * self.busy_threads() as f64 > 1.0
    }
}

/// The host's ranks that share cores the most; of several such groups, the one with the most ranks. `None` if no rank's
/// cores are known.
pub fn most_shared<'r>(host: &'r str, ranks: &[&'r Rank]) -> Option<SharedCores<'r>> {
    let allowed: Vec<(&Rank, Vec<u32>)> =
        ranks.iter().filter_map(|rank| Some((*rank, rank.process_usage()?.allowed))).collect();
    let allowed: Vec<(&Rank, Vec<u32>)> = allowed.into_iter().filter(|(_, cores)| !cores.is_empty()).collect();
    let mut sets: BTreeMap<&[u32], usize> = BTreeMap::new();
    for (_, cores) in &allowed {
        *sets.entry(cores).or_default() += 1;
    }
    let mut all: Vec<u32> = sets.keys().flat_map(|cores| cores.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let groups = sets.keys().copied().chain([all.as_slice()]).filter(|cores| !cores.is_empty());
    let limit = ranks.iter().filter_map(|rank| limit(rank)).reduce(f64::min).unwrap_or(f64::INFINITY);
    let usable = |cores: &[u32]| limit.min(cores.len() as f64);
    let is_inside = |own: &[u32], cores: &[u32]| own.iter().all(|core| cores.binary_search(core).is_ok());
    let inside = |cores: &[u32]| -> usize {
        sets.iter().filter(|(own, _)| is_inside(own, cores)).map(|(_, ranks)| *ranks).sum()
    };
    // Ranks are many and their sets of cores mostly few, so only the ranks of the chosen set are listed.
    let order = |cores: &&[u32]| {
        let ranks = inside(cores);
        (ranks as f64 / usable(cores), ranks)
    };
    let ordered = groups.map(|cores| (order(&cores), cores));
    let (_, cores) = ordered.max_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))?;
    Some(SharedCores {
        host,
        ranks: allowed.iter().filter(|(_, own)| is_inside(own, cores)).map(|(rank, _)| *rank).collect(),
        usable: usable(cores),
        online: ranks.iter().filter_map(|rank| online(rank)).max().unwrap_or(0),
        cores: cores.to_vec(),
    })
}

/// Cores' worth of processor time that control groups allow a rank; `None` if there is no limit or it is unknown.
pub fn limit(rank: &Rank) -> Option<f64> {
    let limit = rank.machine.as_ref()?.limit;
    (limit != 0 && limit != Machine::UNLIMITED).then_some(f64::from(limit) / 1000.0)
}

/// What the quota of a control group took from these ranks, by the rank whose group was stopped most often: ranks of one group read the same
/// figures. `None` if no rank has a quota, or none was read.
pub fn throttled(ranks: &[&Rank]) -> Option<ThrottledBetween> {
    ranks.iter().filter_map(|rank| rank.throttled()).max_by_key(|one| one.throttled)
}

/// The cores of a rank's host that are online.
pub fn online(rank: &Rank) -> Option<usize> {
    let cores = model::rank::cores(&rank.machine.as_ref()?.online).len();
    (cores > 0).then_some(cores)
}

/// The ranks of each host, by its name. Ranks of one name but another boot are on another host.
pub fn by_host(run: &Run) -> Vec<(&str, Vec<&Rank>)> {
    let of_ranks = run.ranks.iter().map(|rank| ((rank.process.host.as_str(), rank.process.boot.as_str()), rank));
    grouped_in_order(of_ranks).into_iter().map(|((host, _), ranks)| (host, ranks)).collect()
}

/// Mean number of cores that other processes than the ranks kept busy on their host, at least, and mean number of cores
/// that a hypervisor kept.
///
/// `None` for a run shorter than half a second: the system counts hundredths of a second, for each core. Between a
/// rank's own readings and the first and last of all, the rank counts as busy.
pub fn others(ranks: &[&Rank]) -> Option<OtherLoad> {
    const SHORTEST: f64 = 0.5;
    let times: Vec<_> = ranks.iter().filter_map(|rank| rank.host_times()).collect();
    let all = |time: &HostTime| time.busy.saturating_add(time.idle).saturating_add(time.stolen);
    let first = times.iter().map(|[first, _]| first.1).min_by_key(all)?;
    let last = times.iter().map(|[_, last]| last.1).max_by_key(all)?;
    let cores = ranks.iter().filter_map(|rank| online(rank)).max()? as f64;
    let seconds = |first: u64, last: u64| last.saturating_sub(first) as f64 / 1e9;
    let wall = seconds(all(&first), all(&last)) / cores;
    let mut own = 0.0;
    for rank in ranks {
        let usage = rank.process_usage()?;
        own += usage.processor()? + (wall - usage.wall).max(0.0);
    }
    (wall >= SHORTEST).then(|| OtherLoad {
        busy: (seconds(first.busy, last.busy) - own).max(0.0) / wall,
        stolen: seconds(first.stolen, last.stolen) / wall,
        cores,
    })
}

/// The load that other processes put on a host's cores, see [`others`].
pub struct OtherLoad {
    /// Cores that other processes kept busy.
    pub busy: f64,
    /// Cores that a hypervisor kept.
    pub stolen: f64,
    /// The host's cores.
    pub cores: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_mpi_a_rank_runs_but_for_the_delay_that_is_not_its_works() {
        let of = |wall, delay, outside, work_delay| {
            Scheduled { wall, delay, outside, work_delay, most_work_delay: delay, slept: 0.0 }.running_in_mpi()
        };
        assert_eq!(of(10.0, 3.0, 6.0, 2.0), 0.75);
        assert_eq!(of(10.0, 0.0, 6.0, 0.0), 1.0);
        assert_eq!(of(10.0, 8.0, 6.0, 0.0), 0.0, "not less than nothing");
        assert_eq!(of(10.0, 3.0, 10.0, 0.0), 1.0, "never in MPI");
    }
}
