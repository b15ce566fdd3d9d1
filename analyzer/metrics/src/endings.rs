//! Describes ranks that have not finalized MPI: MPI_Abort or a signal ended them, or they still run.

use crate::grouped_in_order::grouped_in_order;
use crate::launch_words::{ending_signal, of_signal};
use crate::totals::world_rank;
use crate::words::{call_in_words, plural, rank_in_words, ranks_in_words, verb};
use model::launch_log::{LaunchOutcome, LauncherEnd};
use model::{End, ProcessFate, Rank, Run};
use tables::Value;
use traces::calls::{Call, Class};
use traces::signature::Signature;

/// Ranks that ended the run by MPI_Abort, each with that call.
pub fn aborts(run: &Run) -> Vec<(&Rank, &Signature)> {
    let ended = run.ranks.iter().filter(|rank| rank.fate != ProcessFate::Runs);
    ended.filter_map(|rank| Some((rank, abort(rank)?))).collect()
}

fn abort(rank: &Rank) -> Option<&Signature> {
    let aborts = |call: &&Signature| Call::from_number(call.call) == Some(Call::Abort);
    let last = match &rank.end {
        End::Inside { call, .. } | End::Outside { last: Some(call), .. } => Some(call),
        _ => None,
    };
    // MPI_Abort returns under some libraries: the rank goes on until the launcher ends it a little later.
    let returned = || rank.entries().filter(|total| total.count > 0).map(|total| &total.signature).find(aborts);
    last.filter(aborts).or_else(returned)
}

/// Maximum number of different endings that are named; the rest is counted.
const MOST: usize = 6;

/// The warnings about ranks that have not finalized MPI. If MPI_Abort ended the run, one warning covers all; otherwise,
/// one covers all that ended at the same place.
pub fn warnings(run: &Run) -> Vec<String> {
    if let Some((rank, call)) = aborts(run).first() {
        let ended = format!("{} ended the run in {}", rank_in_words(rank), call_in_words(run, rank, call));
        return vec![format!("{ended}; {}", cut_in_words(run))];
    }
    let endings = grouped_in_order(cut(run).map(|rank| ((place(run, rank), rank.fate), rank)));
    let told = endings.iter().take(MOST);
    let mut warnings: Vec<String> = told
        .map(|((place, _), ranks)| match ranks.as_slice() {
            [rank] => ending(run, rank, place),
            several => common_ending(place, several),
        })
        .collect();
    let untold: usize = endings.iter().skip(MOST).map(|(_, ranks)| ranks.len()).sum();
    if untold > 0 {
        let others = plural(untold as u64, "other rank");
        warnings.push(format!("{others} did not finalize MPI: `hang` says where each was"));
    }
    warnings
}

/// `3 of 4 ranks did not finalize MPI: each counts until the last sign of life in its file`.
pub fn cut_in_words(run: &Run) -> String {
    let cut = cut(run).count();
    let (all, each) = (plural(run.ranks.len() as u64, "rank"), verb(cut, "it", "each"));
    format!("{cut} of {all} did not finalize MPI: {each} counts until the last sign of life in its file")
}

/// Ranks that have not finalized MPI.
pub fn cut(run: &Run) -> impl Iterator<Item = &Rank> {
    run.ranks.iter().filter(|rank| !rank.is_finalized())
}

/// Seconds for which a rank that has not finalized MPI may have gone on without a sign in its file, at most: until the last sign of another.
pub fn unknown_time(run: &Run) -> f64 {
    let last = run.ranks.iter().map(Rank::whole).fold(0.0, f64::max);
    cut(run).map(|rank| last - rank.whole()).fold(0.0, f64::max)
}

/// Seconds by which last signs of life must differ: ranks that share cores turn MPI's engine by turns.
pub const FAR_APART: f64 = 0.1;

/// Ranks that ended before the others.
pub struct EarlyEnd {
    /// Their places in the run.
    pub ranks: Vec<usize>,
    /// Seconds from their last sign of life to the next rank's.
    pub earlier: f64,
}

/// The ranks of a run that is over whose signs of life ceased in a call while others still waited in theirs. `None` if no rank
/// is known to have ended first: a call that does not turn MPI's engine shows no sign of life, however long it lasts.
pub fn early_end(run: &Run) -> Option<EarlyEnd> {
    // Files of another host may lag behind each other while the run goes on there.
    if !cut(run).all(|rank| rank.fate == ProcessFate::Ended) {
        return None;
    }
    let clock = run.common_clock();
    let places = (0..run.ranks.len()).filter(|at| !run.ranks[*at].is_finalized());
    let mut signs: Vec<(i64, usize)> =
        places.map(|at| (clock.lines[at].nanoseconds_at(run.ranks[at].until), at)).collect();
    signs.sort_unstable();
    let (count, earlier) = (1..signs.len())
        .map(|count| {
            let [(last, one), (next, other)] = [signs[count - 1], signs[count]];
            (count, next - last - clock.error_between(one as u32, other as u32, last))
        })
        .max_by_key(|(_, earlier)| *earlier)?;
    let earlier = earlier as f64 / 1e9;
    let ranks: Vec<usize> = signs[..count].iter().map(|(_, at)| *at).collect();
    let is_early = earlier >= FAR_APART && ranks.iter().all(|at| turned_in_its_call(&run.ranks[*at]));
    is_early.then_some(EarlyEnd { ranks, earlier })
}

/// Seconds from the last sign of life of a rank that ended without MPI_Finalize, on its own, until the last of the others
/// had finalized. `None` if it may have ended with the others, or by the launcher's doing.
pub fn outlived(run: &Run, at: usize) -> Option<f64> {
    let launch = run.launches.last()?;
    let LaunchOutcome::Ended(LauncherEnd { status, signal: None, .. }) = &launch.outcome else { return None };
    // Launchers end all ranks if one of them exits with another status.
    let ended_nobody = status.is_some_and(|status| status == 0 || of_signal(status).is_some());
    if !ended_nobody || ending_signal(launch).is_some() || run.ranks.len() < 2 {
        return None;
    }
    let others = || run.ranks.iter().enumerate().filter(|(other, _)| *other != at);
    if !others().all(|(_, rank)| rank.is_finalized()) {
        return None;
    }
    let clock = run.common_clock();
    let until = |at: usize| clock.lines[at].nanoseconds_at(run.ranks[at].until);
    let last = others().map(|(other, _)| until(other)).max()?;
    Some((last - until(at)) as f64 / 1e9)
}

/// True if a rank turned MPI's engine in the call that it ended in, which is no call of a file.
fn turned_in_its_call(rank: &Rank) -> bool {
    let End::Inside { since, call } = &rank.end else { return false };
    let is_of_file = Call::from_number(call.call).is_some_and(|call| call.class() == Class::Io);
    rank.whole() > *since && !is_of_file
}

/// Place of a rank, now or when it ended: `in MPI_Barrier (MPI_COMM_WORLD) at main (p.c:14)`.
fn place(run: &Run, rank: &Rank) -> String {
    match &rank.end {
        End::Inside { call, .. } => format!("in {}", call_in_words(run, rank, call)),
        End::Outside { last: Some(last), .. } => format!("outside MPI, after {}", call_in_words(run, rank, last)),
        End::Outside { last: None, .. } | End::Finalized => "outside MPI, with no call recorded".into(),
    }
}

/// The warning about several ranks at one place, with the shortest time for which they have been there.
fn common_ending(place: &str, ranks: &[&Rank]) -> String {
    let numbers: Vec<_> = ranks.iter().map(|rank| world_rank(rank)).collect();
    let who = ranks_in_words(&numbers);
    let lasted = ranks.iter().filter_map(|rank| match rank.end {
        End::Inside { since, .. } => Some((rank.whole() - since).max(0.0)),
        _ => None,
    });
    let least = lasted.reduce(f64::min);
    let least = least.filter(|least| *least > 0.0).map(Value::Seconds);
    let there = least.as_ref().map_or(String::new(), |least| format!(", after at least {least} there"));
    match (ranks[0].fate, &least) {
        (ProcessFate::Runs, Some(least)) => {
            format!("{who} still run: they have been {place} for at least {least} so far")
        }
        (ProcessFate::Runs, None) => format!("{who} still run: they have been {place} so far"),
        (ProcessFate::Ended, _) => format!("{who} did not finalize MPI: they ended {place}{there}"),
        (ProcessFate::Unknown, _) => format!("{who} did not finalize MPI: their recordings end {place}{there}"),
    }
}

/// The warning about one rank at a place, with its times.
fn ending(run: &Run, rank: &Rank, place: &str) -> String {
    let who = rank_in_words(rank);
    let gone = match rank.fate {
        ProcessFate::Runs => "still runs: it has been",
        ProcessFate::Ended => "did not finalize MPI: it ended",
        ProcessFate::Unknown => "did not finalize MPI: its recording ends",
    };
    match (&rank.end, rank.fate) {
        (End::Inside { since, .. }, fate) => {
            let lasted = Value::Seconds((rank.whole() - since).max(0.0));
            match (fate, lasted.number() > Some(0.0)) {
                (ProcessFate::Runs, _) => format!("{who} {gone} {place} for {lasted} so far"),
                (_, true) => format!("{who} {gone} {place}, after at least {lasted} there"),
                (_, false) => format!("{who} {gone} {place}; for how long it was there, its file does not say"),
            }
        }
        (End::Outside { after, last: Some(last) }, ProcessFate::Runs) => {
            let after = Value::Seconds(*after);
            format!("{who} {gone} outside MPI since {after}, after {}", call_in_words(run, rank, last))
        }
        (End::Outside { last: None, .. }, ProcessFate::Runs) => {
            format!("{who} still runs, and no call of it is recorded yet")
        }
        (End::Outside { after, last: Some(_) }, _) => format!("{who} {gone} {place} at {}", Value::Seconds(*after)),
        (End::Outside { last: None, .. } | End::Finalized, _) => format!("{who} {gone} {place}"),
    }
}
