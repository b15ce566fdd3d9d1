//! Warnings about a run that its figures need.

use traces::calls::Call;
use traces::file::Stop;

use super::endings;
use super::grouped_in_order::grouped_in_order;
use super::overview::taken_out;
use super::totals::percent;
use super::words::{numbers, plural, rank_in_words, verb};
use model::rank::is_nested;
use model::site_naming::NamedBy;
use model::sums::Total;
use model::{Rank, Run};
use tables::Value;
use tables::number::whole;

/// The warnings that a reader of the figures needs, the most serious first.
pub fn of_run(run: &Run) -> Vec<String> {
    run.cached_warnings(work_out_warnings)
}

fn work_out_warnings(run: &Run) -> Vec<String> {
    let mut warnings = of_files(run);
    warnings.extend(endings::warnings(run));
    warnings.extend(starting(run));
    warnings.extend(spawned(run));
    warnings.extend(left_out(run));
    warnings.extend(of_recorder(run));
    warnings.extend(profiles(run));
    warnings.extend(by_function(run));
    let nested: u64 = run.ranks.iter().flat_map(Rank::entries).filter(|e| is_nested(e)).map(|e| e.count).total();
    if nested > 0 {
        let (calls, were) = (plural(nested, "call"), verb(nested, "was", "were"));
        let they = verb(nested, "it counts", "they count");
        warnings.push(format!("{calls} {were} made inside other MPI calls; {they} as part of those"));
    }
    warnings.extend(threads(run));
    warnings.extend(without_paths(run));
    let first = run.first();
    if !first.records_all_calls() {
        warnings.push(format!("recorded with the filter {}: no figure includes what it leaves out", first.filter));
    }
    warnings
}

/// Warnings about files that are missing, or do not hold all that a rank did.
pub fn of_files(run: &Run) -> Vec<String> {
    let mut warnings = Vec::new();
    if !run.missing.is_empty() {
        warnings.push(format!("no file from {}: no figure includes what they did", numbers(&run.missing)));
    }
    warnings.extend(few(run.messages.iter().cloned(), "messages of processes"));
    for (world, ranks) in &run.missing_spawned {
        let ranks = numbers(ranks);
        warnings.push(format!("no file from {ranks} of spawned world {world}: no figure includes what they did"));
    }
    warnings.extend(few(run.unreadable.iter().cloned(), "files that cannot be read"));
    warnings.extend(few(run.copies.iter().cloned(), "copies of files"));
    warnings.extend(few(run.ranks.iter().flat_map(of_rank), "warnings about single ranks"));
    warnings
}

/// Maximum number of warnings of one kind; the others are counted.
const FEW: usize = 32;

/// The first warnings, and a line with the number of others.
fn few(warnings: impl Iterator<Item = String>, what: &str) -> Vec<String> {
    let mut all: Vec<String> = warnings.collect();
    if all.len() > FEW {
        let more = whole((all.len() - FEW) as u64);
        all.truncate(FEW);
        all.push(format!("{more} more {what}"));
    }
    all
}

/// Warns of what is wrong with a rank's file.
fn of_rank(rank: &Rank) -> Vec<String> {
    let damaged = rank.damage.iter().map(|damage| format!("{}: {damage}", rank.file));
    damaged.chain(stopped(rank)).chain(lost(rank)).collect()
}

/// Warns of ranks without the paths by which call sites are to be named.
fn without_paths(run: &Run) -> Option<String> {
    let asked = run.asked().count() as u64;
    let without = run.asked().filter(|rank| rank.callers.is_empty()).count() as u64;
    let naming = &run.choice.naming;
    if naming.by == NamedBy::Site || naming.is_default || without == 0 {
        return None;
    }
    let of = if without == asked { String::new() } else { format!(" for {}", plural(without, "rank")) };
    Some(format!("no call paths were recorded{of}: call sites are named by their own places"))
}

/// Warns of several threads in MPI. A thread without room in the file was only counted, so its calls are unknown.
fn threads(run: &Run) -> Option<String> {
    let rank = run.ranks.iter().max_by_key(|rank| rank.thread_count()).filter(|rank| rank.thread_count() > 1)?;
    let of_library = match rank.roomless {
        0 => String::new(),
        count => format!(" ({count} without room of their own in its file, which may belong to the MPI library)"),
    };
    let threads = rank.thread_count();
    Some(format!(
        "up to {threads} threads of a rank called MPI at once{of_library}; a rank's time in MPI is the sum over them"
    ))
}

/// Warns if the program spawned processes and none of them has a file here.
fn spawned(run: &Run) -> Option<String> {
    let spawns = [Call::Comm_spawn, Call::Comm_spawn_multiple].map(Call::number);
    let spawn = run
        .ranks
        .iter()
        .flat_map(Rank::entries)
        .any(|entry| spawns.contains(&entry.signature.call) && entry.count > entry.open + entry.failed);
    (spawn && run.ranks.iter().all(|rank| rank.header.world == 0))
        .then(|| "spawned processes are not in this folder: they were recorded elsewhere, or not at all".into())
}

/// Warns that starting MPI counts, since a rank did nothing else.
fn starting(run: &Run) -> Option<String> {
    let mut ranks = run.asked().filter(|rank| rank.is_starting);
    let first = ranks.next().filter(|_| run.is_starting())?;
    let more = match ranks.count() {
        0 => String::new(),
        more => format!(" and {}", plural(more as u64, "other")),
    };
    Some(format!(
        "{}{more} did not get beyond MPI_Init: all figures include starting and ending MPI",
        rank_in_words(first)
    ))
}

/// The recorder's own warnings, each once for all ranks that have it.
fn of_recorder(run: &Run) -> Vec<String> {
    let of_ranks = run.ranks.iter().flat_map(|rank| rank.warnings.iter().map(move |warning| (warning, rank)));
    let said = grouped_in_order(of_ranks);
    let who = |ranks: &[&Rank]| match ranks {
        [one] => format!("{}: ", rank_in_words(one)),
        ranks if ranks.len() == run.ranks.len() => String::new(),
        ranks => format!("{} and {} more: ", rank_in_words(ranks[0]), ranks.len() - 1),
    };
    few(said.into_iter().map(|(warning, ranks)| format!("{}{warning}", who(&ranks))), "warnings by the recorder")
}

/// Why single calls of a rank are missing; `None` if they are not, or the user has set the limit.
fn reason(stop: Stop) -> Option<&'static str> {
    match stop {
        Stop::No | Stop::MaxBytes | Stop::SizeLimit => None,
        Stop::NoSpace => Some("the disk was full"),
        Stop::Io => Some("its file could not be written"),
        Stop::NoMemory => Some("memory had run out"),
        Stop::TooVaried => Some("its calls differ too much to keep only the newest (--keep)"),
    }
}

/// The limit at which a rank went on as a profile.
fn limit(stop: Stop) -> Option<&'static str> {
    match stop {
        Stop::MaxBytes => Some("OVERHEAR_MAX_BYTES"),
        Stop::SizeLimit => Some("the limit for the size of a file (ulimit -f)"),
        _ => None,
    }
}

/// The ranks whose recording broke off, by reason, in words.
pub fn stops(ranks: &[Rank]) -> Vec<String> {
    let mut said = Vec::new();
    for (stop, stopped) in grouped_in_order(ranks.iter().map(|rank| (rank.header.stop, rank))) {
        let Some(stop) = Stop::from_number(stop) else { continue };
        let who = format!("{} of {}", stopped.len(), plural(ranks.len() as u64, "rank"));
        if let Some(limit) = limit(stop) {
            said.push(format!("{who} reached {limit} and continued as a profile; totals are exact"));
        } else if let Some(why) = reason(stop) {
            said.push(format!(
                "{who} stopped recording single calls because {why}; later calls are only counted and timed"
            ));
        }
    }
    said
}

/// Warns of a rank whose recording broke off, with the share of its time that has no single calls.
fn stopped(rank: &Rank) -> Option<String> {
    let why = reason(Stop::from_number(rank.header.stop)?)?;
    let (at, whole) =
        (rank.clock.seconds(rank.header.stopped_at.saturating_sub(rank.header.begin.ticks)), rank.whole());
    let share = 100.0 * (whole - at) / whole;
    let missing = if share > 0.0 { format!(": {share:.1} % of its time") } else { String::new() };
    let (who, at) = (rank_in_words(rank), Value::Seconds(at));
    Some(format!(
        "{who} stopped recording single calls at {at} because {why}; its later calls are only in the totals{missing}"
    ))
}

/// Warns of calls that no figure includes.
fn lost(rank: &Rank) -> Option<String> {
    let lost = rank.header.lost;
    (lost > 0).then(|| {
        let calls = plural(lost, "call");
        format!("no figure includes {calls} of {}: no memory was left for their thread", rank_in_words(rank))
    })
}

/// Warns of calls that are known by function alone.
fn by_function(run: &Run) -> Option<String> {
    let calls: u64 = run.ranks.iter().flat_map(|rank| &rank.shared).map(|entry| entry.count).total();
    (calls > 0).then(|| {
        format!(
            "{} had no room of their own in the files, or were made by signal handlers inside the recorder: their totals are \
             known by function alone",
            plural(calls, "call")
        )
    })
}

/// Time of ranks whose single calls end before they do.
pub struct WithoutCalls {
    /// Seconds until the first of them stopped recording single calls.
    pub first: f64,
    /// The share of all ranks' time that has no single calls.
    pub percent: f64,
}

pub fn without_calls(run: &Run) -> Option<WithoutCalls> {
    let stopped = run.ranks.iter().filter(|rank| rank.has_stopped() && rank.header.stopped_at > 0);
    let times: Vec<(f64, f64)> = stopped.map(|rank| (rank.since_begin(rank.header.stopped_at), rank.whole())).collect();
    let first = times.iter().map(|(at, _)| *at).reduce(f64::min)?;
    let missing: f64 = times.iter().map(|(at, whole)| (whole - at).max(0.0)).sum();
    let percent = percent(missing, run.ranks.iter().map(Rank::whole).sum())?;
    Some(WithoutCalls { first, percent })
}

fn profiles(run: &Run) -> Option<String> {
    let have = |ranks: usize| format!("{} {}", plural(ranks as u64, "rank"), verb(ranks, "has", "have"));
    let whole = run.ranks.iter().filter(|rank| rank.header.is_only_profile()).count();
    let stopped = |stop: Stop| run.ranks.iter().filter(|rank| rank.header.stop == stop as u32).count();
    let (own, system) = (stopped(Stop::MaxBytes), stopped(Stop::SizeLimit));
    let part = own + system;
    match (whole, part) {
        (0, 0) => None,
        _ if run.choice.region.is_some() => {
            Some(format!("{} a profile, whose calls belong to no region", have(whole + part)))
        }
        _ if run.choice.has_window() => {
            Some(format!("{} a profile, which does not say when calls were made", have(whole + part)))
        }
        (0, part) => {
            let limit = match (own, system) {
                (_, 0) => "OVERHEAR_MAX_BYTES",
                (0, _) => "the limit for the size of a file (ulimit -f)",
                _ => "OVERHEAR_MAX_BYTES or the limit for the size of a file (ulimit -f)",
            };
            let ranks = plural(part as u64, "rank");
            let since = without_calls(run).map_or(String::new(), |WithoutCalls { first, percent }| {
                format!(
                    ": the first after {}, and {percent:.1} % of the ranks' time has no single calls",
                    Value::Seconds(first)
                )
            });
            Some(format!("{ranks} reached {limit} and continued as a profile{since}; totals are exact"))
        }
        _ => Some("recorded as a profile: totals are exact, single calls are missing".into()),
    }
}

/// Warns of the time that the program excluded by MPI_Pcontrol.
fn left_out(run: &Run) -> Option<String> {
    let (most, sum) = taken_out(run).fold((0.0, 0.0), |(most, sum), time| (time.max(most), sum + time));
    let mean = Value::Seconds(sum / run.asked().count() as f64);
    let longest = Value::Seconds(most);
    (most > 0.0).then(|| {
        format!("the program excluded {longest} from these figures by MPI_Pcontrol (in one rank; {mean} on average)")
    })
}
