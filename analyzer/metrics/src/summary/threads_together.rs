//! The finding on threads of a rank that hinder each other: all are in MPI nearly always, and calls take far longer than those that are alone.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::words::site_in_words;
use model::threads_inside::{self, SiteInside, ThreadInside};
use rustc_hash::FxHashMap;
use tables::Value;

limits! {
    /// Fewer calls of a thread, or fewer that are alone, tell no usual time.
    LEAST_CALLS = 100, Least, "calls", Convention;
    /// The part of a thread's calls that begin while another one is inside: 16 to 100 % in threads_in_mpi and threads_together under MPICH, none where
    /// one thread makes all calls.
    LEAST_TOGETHER = 0.1, Least, "of the calls", Measured;
    /// Threads that are outside MPI for longer compute, and calls may wait for that: those of threads_in_mpi and threads_together are in MPI for 80 to
    /// 100 % of their time.
    LEAST_INSIDE = 0.75, Least, "of the time", Convention;
    /// How many times as long as a usual call alone they take on average: 13 to 15 times in threads_in_mpi under MPICH, 1.9 times where one thread makes
    /// all calls.
    SLOW = 5.0, Least, "times", Measured;
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let sites = known.run.call_sites();
    // Seconds, by call site.
    let mut lost: FxHashMap<u32, f64> = FxHashMap::default();
    let (mut most_threads, mut costs) = (0, 0.0);
    let mut of_site: FxHashMap<u32, Times> = FxHashMap::default();
    for (at, rank) in known.run.asked_places() {
        let all = threads_inside::of_rank(rank);
        let threads: Vec<&ThreadInside> = all.iter().filter(|thread| is_together(thread)).collect();
        if threads.len() < 2 {
            continue;
        }
        // Where a thread computes, the others' calls may wait for that.
        if threads.iter().any(|thread| (thread.inside as f64) < LEAST_INSIDE.get() * thread.life as f64) {
            return None;
        }
        most_threads = most_threads.max(threads.len());
        let mut by_site: FxHashMap<u32, SiteInside> = FxHashMap::default();
        for thread in &threads {
            for ((call, site), times) in &thread.sites {
                by_site.entry(sites.number(at, *call, *site)).or_default().merge(times);
            }
        }
        for (site, times) in by_site {
            let (alone, usual) = times.alone();
            let usual_time = usual * times.calls as f64;
            if alone < LEAST_CALLS.count() || (times.time as f64) < SLOW.get() * usual_time {
                continue;
            }
            let [time, usual_time] = [times.time as f64, usual_time].map(|ticks| rank.clock.seconds(ticks as u64));
            // Threads lose the time at once.
            let more = (time - usual_time) / threads.len() as f64;
            costs += more / known.ranks() as f64;
            *lost.entry(site).or_default() += more;
            let of_site = of_site.entry(site).or_default();
            of_site.calls += times.calls;
            of_site.time += time;
            of_site.usual += usual_time;
        }
    }
    let (site, _) = lost.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)))?;
    let place = &sites[*site as usize];
    let times = &of_site[site];
    let headline = format!(
        "{most_threads} threads of a rank are in MPI at the same time and hinder each other, mostly in {}.",
        site_in_words(place)
    );
    let each = |time: f64| Value::Seconds(time / times.calls.max(1) as f64);
    let detail = format!(
        "A call there takes {} on average; one that begins while no other thread is inside usually takes {}.",
        each(times.time),
        each(times.usual)
    );
    let next = "Let one thread of each rank make the calls for all of them (MPI_THREAD_FUNNELED), or give each thread a core of its own.";
    let finding = Finding::new(FindingKind::ThreadsTogether, "sites", headline).detail(detail).next(next);
    Some(finding.costs(costs).sites(place.line().into_iter().collect()))
}

/// True if the other finding is that calls at the same line are many: their price is what they take alone.
pub fn explains(together: &Finding, other: &Finding) -> bool {
    let are_many = matches!(other.kind, FindingKind::SmallMessages | FindingKind::SmallCollectives);
    are_many && together.sites == other.sites
}

/// Calls of one site, seconds.
#[derive(Default)]
struct Times {
    calls: u64,
    time: f64,
    /// As long as calls that are alone.
    usual: f64,
}

fn is_together(thread: &ThreadInside) -> bool {
    thread.calls >= LEAST_CALLS.count() && thread.together as f64 >= LEAST_TOGETHER.get() * thread.calls as f64
}
