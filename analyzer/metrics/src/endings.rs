//! Ranks that have not finalized MPI: by MPI_Abort, by a signal, or since they still run.

use crate::words::{call_in_words, plural, rank_in_words};
use model::{End, ProcessFate, Rank, Run};
use traces::calls::Call;
use traces::signature::Signature;

/// Ranks that ended the run by MPI_Abort, each with that call.
pub fn aborts(run: &Run) -> Vec<(&Rank, &Signature)> {
    let ended = run.ranks.iter().filter(|rank| rank.fate != ProcessFate::Runs);
    // MPI_Abort returns under some libraries, and the launcher ends the rank a little later.
    let call = ended.filter_map(|rank| match &rank.end {
        End::Inside { call, .. } | End::Outside { last: Some(call), .. } => Some((rank, call)),
        _ => None,
    });
    call.filter(|(_, call)| Call::from_number(call.call) == Some(Call::Abort)).collect()
}

/// The warnings about ranks that have not finalized MPI: one for all where MPI_Abort ended the run.
pub fn warnings(run: &Run) -> Vec<String> {
    let aborts = aborts(run);
    let Some((rank, call)) = aborts.first() else {
        return run.ranks.iter().filter_map(|rank| ending(run, rank)).collect();
    };
    let cut = run.ranks.iter().filter(|rank| !matches!(rank.end, End::Finalized)).count() as u64;
    let call = call_in_words(run, rank, call);
    let ended = format!("{} ended the run in {call}", rank_in_words(rank));
    vec![format!(
        "{ended}: {} did not finalize MPI, and each counts until the last sign of life in its file",
        plural(cut, "rank")
    )]
}

/// The warning about a rank that has not finalized MPI: where it is, or was when it ended.
fn ending(run: &Run, rank: &Rank) -> Option<String> {
    let who = rank_in_words(rank);
    let gone = match rank.fate {
        ProcessFate::Runs => "",
        ProcessFate::Ended => "did not finalize MPI: it ended",
        ProcessFate::Unknown => "did not finalize MPI: its recording ends",
    };
    let place = match &rank.end {
        End::Finalized => return None,
        End::Inside { call, since } => {
            let lasted = (rank.whole() - since).max(0.0);
            let call = call_in_words(run, rank, call);
            return Some(match (rank.fate, lasted > 0.0) {
                (ProcessFate::Runs, _) => {
                    format!("{who} still runs: it has been in {call} since {since:.6} s, {lasted:.6} s so far (open)")
                }
                (_, true) => format!(
                    "{who} {gone} in {call}, in which it had been since {since:.6} s, at least {lasted:.6} s (open)"
                ),
                (_, false) => format!(
                    "{who} {gone} in {call}, in which it had been since {since:.6} s; how long, its file does not say (open)"
                ),
            });
        }
        End::Outside { after, last } => (*after, last.map(|last| call_in_words(run, rank, &last))),
    };
    Some(match (rank.fate, place) {
        (ProcessFate::Runs, (after, Some(last))) => {
            format!("{who} still runs: it has been outside MPI since {after:.6} s, after {last}")
        }
        (ProcessFate::Runs, (_, None)) => format!("{who} still runs, and no call of it is recorded yet"),
        (_, (after, Some(last))) => format!("{who} {gone} outside MPI, after {last} at {after:.6} s"),
        (_, (_, None)) => format!("{who} {gone} outside MPI, with no call recorded"),
    })
}
