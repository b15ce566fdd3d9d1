//! The finding on ranks that were ready to run but did not, since others had their cores.

use super::limits::limits;
use std::cmp::{Ordering, Reverse};

use rustc_hash::FxHashMap;

use super::file_advice::is_of_files;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind, MUCH_IN_MPI};
use crate::scheduling::{
    LEAST_SHARE_OF_DELAYS, OtherLoad, Scheduled, SharedCores, by_host, limit, most_shared, others, scheduled, throttled,
};
use crate::totals::world_rank;
use crate::words::{plural, rank_in_words, site_in_words, upper};
use model::Rank;
use model::origins::Activity;
use model::rank::ThrottledBetween;
use model::roles::CallSite;
use model::sums::Grow;
use tables::Value;
use traces::calls::Call;

limits! {
    /// The least share of the run if the figures show no cause: on a quiet machine, something short took a core for up to 7 % of runs of 40 to
    /// 250 ms.
    LEAST_SHARE_WITHOUT_CAUSE = 0.1, Least, "of the run", Measured;
    /// Other processes that keep fewer cores busy are not named.
    LEAST_OTHERS = 0.25, Least, "cores", Convention;
    /// A quota that stopped the ranks in fewer of its periods delayed them little.
    LEAST_STOPPED = 0.1, Least, "of the periods", Convention;
}

/// A host's ranks, and what the scheduler cost them.
struct HostDelay<'r> {
    host: &'r str,
    ranks: Vec<(&'r Rank, Scheduled)>,
    /// Seconds that the run could be shorter if each rank had run when it was ready: the longest delay of a rank's own
    /// work, and the time in which all ranks were in MPI, by the share of it that they did not run. Or, if that is more, the longest
    /// delay of a rank's work and calls, without its waits.
    cost: f64,
}

/// The host where the scheduler cost most. `None` if the delays are unknown.
///
/// Delays of waiting ranks cost nothing: those of polls do not count while another rank works or sleeps.
fn most_delayed<'r>(known: &Evidence<'r>) -> Option<HostDelay<'r>> {
    let hosts = by_host(known.run);
    let is_alone = hosts.len() == 1;
    let calls = if is_alone { longest_delay_of_work_and_calls(known) } else { 0.0 };
    let delays = hosts.into_iter().filter_map(|(host, ranks)| host_delay(host, ranks, is_alone, calls));
    delays.max_by(|a, b| a.cost.partial_cmp(&b.cost).unwrap_or(Ordering::Equal))
}

/// Seconds. Only for a single host: on several, calls may wait for the network.
fn longest_delay_of_work_and_calls(known: &Evidence) -> f64 {
    let delays = known.run.ranks.iter().zip(known.delays_in_calls());
    delays.filter_map(|(rank, in_calls)| Some(scheduled(rank)?.work_delay + in_calls)).fold(0.0, f64::max)
}

fn host_delay<'r>(host: &'r str, all: Vec<&'r Rank>, is_alone: bool, calls: f64) -> Option<HostDelay<'r>> {
    let ranks: Vec<(&Rank, Scheduled)> = all.iter().filter_map(|rank| Some((*rank, scheduled(rank)?))).collect();
    let longest = ranks.iter().map(|(_, delay)| delay.work_delay).fold(0.0, f64::max);
    let sum = |figure: fn(&Scheduled) -> f64| ranks.iter().map(|(_, delay)| figure(delay)).sum::<f64>();
    let share = sum(|delay| delay.delay) / sum(|delay| delay.wall);
    let wall = ranks.iter().map(|(_, delay)| delay.wall).fold(0.0, f64::max);
    let mean_wall = sum(|delay| delay.wall) / ranks.len() as f64;
    // On several hosts, ranks that are all in MPI may wait for the network.
    let all_in_mpi = if is_alone && ranks.len() == all.len() { wall - sum(|delay| delay.outside) } else { 0.0 };
    let cost = (longest + all_in_mpi.max(0.0) * share).max(calls).min(mean_wall);
    // Nothing costs more than the core that a rank lacked for longest.
    let cost = cost.min(ranks.iter().map(|(_, delay)| delay.delay).fold(0.0, f64::max));
    (!ranks.is_empty()).then_some(HostDelay { host, ranks, cost })
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let worst = most_delayed(known)?;
    let mean = |figure: fn(&Scheduled) -> f64| {
        worst.ranks.iter().map(|(_, delay)| figure(delay)).sum::<f64>() / worst.ranks.len() as f64
    };
    let (delay, wall) = (mean(|delay| delay.delay), mean(|delay| delay.wall));
    if wall <= 0.0 || worst.cost < LEAST_SHARE_OF_DELAYS * wall {
        return None;
    }
    let all: Vec<&Rank> = worst.ranks.iter().map(|(rank, _)| *rank).collect();
    let shared = most_shared(worst.host, &all).filter(SharedCores::is_crowded);
    let load = others(&all).filter(|load| load.busy >= LEAST_OTHERS.get());
    // Of two ranks that share a core, one always waits for the other.
    let alone = alone(&worst).filter(|_| shared.is_none() || worst.ranks.len() > 2);
    let quota = throttled(&all);
    let stopped = quota.filter(|quota| quota.throttled as f64 >= LEAST_STOPPED.get() * quota.periods as f64);
    let stopped = stopped.filter(|quota| quota.throttled > 0);
    let (kind, cause, next) = match (&shared, &load) {
        // Older recorders did not read what a control group's limit took.
        (Some(shared), Some(load)) if shared.is_limited() && quota.is_none() => {
            let next = "Ask again while nothing else runs there: what is left then is the limit's.".to_string();
            (FindingKind::NotRunning, limit_and_others(worst.host, shared, load), next)
        }
        (Some(shared), Some(load)) if shared.is_limited() && stopped.is_none() => {
            (FindingKind::BusyHost, busy(worst.host, load), "Ask again while nothing else runs there.".to_string())
        }
        (Some(shared), _) if shared.is_limited() && stopped.is_some() => {
            (FindingKind::Oversubscribed, sharing(shared), format!("{} {LARGER_QUOTA}", cure(shared)))
        }
        (Some(shared), _) => (FindingKind::Oversubscribed, sharing(shared), cure(shared)),
        (None, _) if stopped.is_some() => (
            FindingKind::NotRunning,
            stopping(worst.host, &all),
            format!("Run fewer processes in that group. {LARGER_QUOTA}"),
        ),
        (None, Some(load)) => {
            let next = "Ask again while nothing else runs there.".to_string();
            (FindingKind::BusyHost, busy(worst.host, load), next)
        }
        (None, None) if worst.cost < LEAST_SHARE_WITHOUT_CAUSE.get() * wall => return None,
        (None, None) => {
            let which = if alone.is_some() {
                "find what else runs on its core"
            } else {
                "see in the table which ranks wait then"
            };
            let next = format!("Bind each rank to a core of its own (mpirun's --bind-to core), and {which}.");
            let who = alone.map_or_else(|| format!("Ranks on {}", worst.host), |(rank, _)| upper(&rank_in_words(rank)));
            (FindingKind::NotRunning, format!("{who} waited for a core"), next)
        }
    };
    let whom = match alone {
        Some((_, own)) if shared.is_none() && load.is_none() => format!("it was {}", ready(own.delay, own.wall)),
        Some((rank, own)) => format!("{} was {}", rank_in_words(rank), ready(own.delay, own.wall)),
        None => format!("the ranks were {}{}", ready(delay, wall), most_of_all(&worst, delay)),
    };
    let headline = format!("{cause}: {whom}.");
    let cost = alone.map_or(worst.cost, |(_, own)| worst.cost.min(own.delay));
    let mut finding = Finding::new(kind, "hosts", headline).costs(cost).next(next);
    if let Some((rank, _)) = alone {
        let awaited = waiting_for(known, rank);
        finding.ranks = vec![world_rank(rank)];
        finding.sites = awaited.into_iter().filter_map(CallSite::line).collect();
        if let Some(site) = awaited {
            finding.add(&format!("The others wait for it in {}.", site_in_words(site)));
        }
    }
    if let Some(quota) = &stopped {
        finding.add(&stopped_in_words(quota));
    }
    if kind == FindingKind::Oversubscribed
        && let Some(load) = &load
    {
        finding.add(&format!("{}, too.", busy(worst.host, load)));
    }
    Some(finding)
}

/// Says what the delays mean for the findings about the program. Without one, they may hide its cause: then the call that takes most
/// time is named.
pub fn explain(finding: &mut Finding, known: &Evidence, sites: &[UsedSite], has_others: bool) {
    if has_others {
        finding.add("Waits that this explains are charged to no rank.");
        return;
    }
    let time = |used: &UsedSite| known.mean(used.total(|habits| habits.time));
    let most = sites.iter().max_by(|a, b| time(a).total_cmp(&time(b)));
    if let Some(most) = most.filter(|most| time(most) >= MUCH_IN_MPI.get() * known.wall()) {
        let hidden = match most.call() {
            Some(call) if is_of_files(call) => "Calls on files wait for the file system rather than for a core.",
            Some(Call::Comm_spawn | Call::Comm_spawn_multiple) => {
                "It starts processes, and waits for these rather than for a core."
            }
            _ => "These delays hide how much of that is the program's.",
        };
        finding.add(&format!("Most time in MPI goes into {}: {}. {hidden}", most.place(), known.share(time(most))));
    }
}

/// The one rank whose own work was delayed, if the work of all others together was delayed by less than half of that.
fn alone<'h>(worst: &'h HostDelay) -> Option<(&'h Rank, &'h Scheduled)> {
    let all: f64 = worst.ranks.iter().map(|(_, delay)| delay.work_delay).sum();
    let most = worst.ranks.iter().max_by(|a, b| a.1.work_delay.total_cmp(&b.1.work_delay))?;
    let others = all - most.1.work_delay;
    (worst.ranks.len() > 1 && others < most.1.work_delay / 2.0).then_some((most.0, &most.1))
}

/// The call in which others wait most for a rank that computes.
fn waiting_for<'r>(known: &Evidence<'r>, rank: &Rank) -> Option<&'r CallSite> {
    let at = known.run.ranks.iter().position(|one| std::ptr::eq(one, rank))? as u32;
    let mut waits: FxHashMap<u32, i64> = FxHashMap::default();
    for ((of, activity), times) in &known.walk?.origins.activities {
        if *of == at && matches!(activity, Activity::Between(..)) {
            for (wait, time) in &times.waits {
                waits.entry(wait.waiter.place.number() as u32).or_default().grow(*time);
            }
        }
    }
    let most = waits.into_iter().max_by_key(|(site, time)| (*time, Reverse(*site)));
    most.map(|(site, _)| &known.run.call_sites()[site as usize])
}

/// `, rank 1 44 %`: the rank that lacked its core for longest, if the cost is more than the ranks lacked theirs on average.
fn most_of_all(worst: &HostDelay, mean: f64) -> String {
    let most = worst.ranks.iter().max_by(|a, b| a.1.delay.total_cmp(&b.1.delay));
    let most = most.filter(|_| worst.cost > mean);
    most.map_or_else(String::new, |(rank, own)| {
        format!(", {} {:.0} %", rank_in_words(rank), 100.0 * own.delay / own.wall)
    })
}

fn ready(delay: f64, wall: f64) -> String {
    let [in_words, of] = [delay, wall].map(Value::Seconds);
    format!("ready to run but not running {:.0} % of the time ({in_words} of {of} per rank)", 100.0 * delay / wall)
}

fn cores_in_words(shared: &SharedCores) -> String {
    match (shared.usable, shared.cores.as_slice()) {
        (usable, [core]) if usable == 1.0 && shared.online > 1 => format!("core {core}"),
        (usable, cores) if usable == cores.len() as f64 => plural(cores.len() as u64, "core"),
        (1.0, _) => "the one core that their control group allows".to_string(),
        (usable, _) => format!("the {usable} cores that their control group allows"),
    }
}

fn sharing(shared: &SharedCores) -> String {
    let of = if shared.cores.len() < shared.online {
        format!(" of the {} of {}", shared.online, shared.host)
    } else {
        String::new()
    };
    let (ranks, cores) = (plural(shared.ranks.len() as u64, "rank"), cores_in_words(shared));
    match (shared.busy_threads(), shared.ranks.len()) {
        (1, _) => format!("{ranks} share {cores}{of}"),
        (threads, 1) => format!("{ranks} with {threads} busy threads has {cores}{of}"),
        (threads, _) => format!("{ranks} with {threads} busy threads each have {cores}{of}"),
    }
}

fn cure(shared: &SharedCores) -> String {
    let (ranks, threads) = (shared.ranks.len() as u64, shared.busy_threads());
    let is_bound = shared.usable == shared.cores.len() as f64 && shared.cores.len() < shared.online;
    match threads.min(shared.online as u64 / ranks) {
        1 if is_bound => return "Bind each rank to a core of its own, or to none: mpirun's --bind-to.".to_string(),
        own @ 2.. if is_bound => {
            return format!(
                "Bind each rank to {own} cores, or to none: mpirun's --map-by slot:pe={own}, or --bind-to none."
            );
        }
        _ => {}
    }
    let usable = (shared.usable.floor() as u64).max(1);
    let most = match (threads, usable / threads) {
        (1, _) => format!("at most {}", plural(usable, "rank")),
        (_, 0) => format!("1 rank of at most {}", plural(usable, "thread")),
        (_, most) => format!("at most {} of {threads} threads", plural(most, "rank")),
    };
    format!("Run {most} here, or ask again on the cluster.")
}

fn busy(host: &str, load: &OtherLoad) -> String {
    format!("Other processes kept {} of {host} busy", share_of_cores(load))
}

fn share_of_cores(load: &OtherLoad) -> String {
    format!("{:.1} of the {} cores", load.busy, load.cores)
}

/// The advice where a quota stops the ranks.
const LARGER_QUOTA: &str =
    "Or give their control group a larger quota: cpu.max, docker's --cpus, limits.cpu of Kubernetes.";

fn stopping(host: &str, ranks: &[&Rank]) -> String {
    let cores = ranks.iter().filter_map(|rank| limit(rank)).reduce(f64::min);
    let quota = cores.map_or_else(|| "quota".to_string(), |cores| format!("quota of {}", cores_of(cores)));
    format!("The {quota} that the control group of the ranks on {host} has stopped them")
}

fn stopped_in_words(quota: &ThrottledBetween) -> String {
    format!(
        "The quota of their control group was used up in {} of {}, and stopped them for {} of core time.",
        quota.throttled,
        plural(quota.periods, "period"),
        Value::Seconds(quota.time)
    )
}

fn cores_of(cores: f64) -> String {
    if cores == 1.0 { "1 core".to_string() } else { format!("{cores} cores") }
}

fn limit_and_others(host: &str, shared: &SharedCores, load: &OtherLoad) -> String {
    let allowed = cores_of(shared.usable);
    let busy = share_of_cores(load);
    format!(
        "Ranks on {host} waited for a core (their control group allows {allowed}, and other processes kept {busy} busy; which \
         of the two delayed the ranks is not recorded)"
    )
}
