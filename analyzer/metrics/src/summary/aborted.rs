//! The findings on runs that MPI_Abort ended, or in which a rank ended on its own.

use super::whole::MOST_REASONS;
use super::{Evidence, Finding, FindingKind};
use crate::endings::{EarlyEnd, FAR_APART, aborts, cut, cut_in_words, early_end, outlived};
use crate::overlong;
use crate::run_end::RunEnd;
use crate::totals::world_rank;
use crate::words::{call_in_words, rank_in_words, ranks_in_words, upper};
use model::{End, ProcessFate, Rank, Run};
use tables::Value;
use traces::calls::Call;
use traces::signature::Signature;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let run = known.run;
    let end = RunEnd::of(run).filter(RunEnd::is_from_outside);
    by_call(run)
        .or_else(|| by_error(known))
        .or_else(|| by_misfit(known))
        .or_else(|| if end.is_none() { on_its_own(run) } else { None })
        .or_else(|| before_the_others(run, end.and_then(|end| end.outside_at())))
}

/// The sentences about the end of the run for a finding that says which rank ended it.
pub fn rest(run: &Run) -> String {
    let launcher = RunEnd::of(run).filter(|end| !end.is_from_outside()).map(|end| end.of_launcher() + " ");
    format!("{}{}.", launcher.unwrap_or_default(), cut_in_words(run))
}

/// The finding on MPI_Abort.
fn by_call(run: &Run) -> Option<Finding> {
    let aborts = aborts(run);
    let (first, call) = *aborts.first()?;
    let ranks: Vec<_> = aborts.iter().map(|(rank, _)| world_rank(rank)).collect();
    let who = upper(&ranks_in_words(&ranks));
    let headline = format!("{who} ended the run in {}{}.", call_in_words(run, first, call), when(first));
    let next = "Look there for the reason: the figures below are of what had been done until then.";
    Some(
        Finding::new(FindingKind::Aborted, "run", headline)
            .detail(rest(run))
            .next(next)
            .ranks(ranks)
            .sites(sites(run, first, call)),
    )
}

/// The finding on a receive without room for its message: by default MPI ends the program there.
fn by_error(known: &Evidence) -> Option<Finding> {
    if known.run.goes_on() {
        return None;
    }
    let (words, rank, site) = overlong::ended(known.run, known.account()?)?;
    let next = "Post as many bytes as are sent, or see which message was meant: its sender, tag and communicator.";
    let finding = Finding::new(FindingKind::Aborted, "run", format!("{}.", upper(&words)));
    let sites = Some(site).filter(|site| !site.is_empty()).into_iter().collect();
    Some(finding.detail(rest(known.run)).next(next).ranks(vec![rank]).sites(sites))
}

/// The finding on calls that do not fit each other, for which MPI ended the program.
fn by_misfit(known: &Evidence) -> Option<Finding> {
    let verdict = known.at_end.filter(|verdict| !verdict.is_hang)?;
    let (headline, reasons) = verdict.words.split_first()?;
    let mut finding = Finding::new(FindingKind::Aborted, "run", headline.as_str());
    for reason in reasons.iter().take(MOST_REASONS) {
        finding.add(reason);
    }
    finding.add(&rest(known.run));
    Some(finding.next("Look at the lines that it names: which of them is meant?"))
}

/// The finding on a rank that ended while it computed and all others were in calls: the launcher ended those then.
fn on_its_own(run: &Run) -> Option<Finding> {
    let outside: Vec<&Rank> = cut(run).filter(|rank| matches!(rank.end, End::Outside { .. })).collect();
    let [one] = outside.as_slice() else { return None };
    let End::Outside { after, last } = &one.end else { return None };
    // Unless all of these ranks are known to have ended, the others' ends may not be its doing.
    if !cut(run).all(|rank| rank.fate == ProcessFate::Ended) {
        return None;
    }
    let last = last.as_ref().map(|last| format!(", after {} at {after:.6} s", call_in_words(run, one, last)));
    let who = upper(&rank_in_words(one));
    let later = run.ranks.iter().position(|rank| std::ptr::eq(rank, *one)).and_then(|at| outlived(run, at));
    let went_on = later.filter(|later| *later >= FAR_APART);
    let went_on = went_on.map(|later| format!(": the others finalized MPI {} later", Value::Seconds(later)));
    let (last, went_on) = (last.unwrap_or_default(), went_on.unwrap_or_default());
    let headline = format!("{who} ended outside MPI{last}, without MPI_Finalize{went_on}.");
    let next = match later {
        Some(_) => {
            "Look at what it computed then: a signal (a crash, a limit for memory or time) or an exit() ended it."
        }
        None => {
            "Look at what it computed then: it still did so when the job was killed, or a signal (a crash, a limit for memory or time) or \
             an exit() ended it."
        }
    };
    let finding = Finding::new(FindingKind::Aborted, "run", headline).detail(rest(run)).next(next);
    Some(finding.ranks(vec![world_rank(one)]))
}

/// The finding on ranks that ended in a call while the others still waited, before the run was ended from `outside`, in seconds since 1970.
fn before_the_others(run: &Run, outside: Option<f64>) -> Option<Finding> {
    let EarlyEnd { ranks, earlier } = early_end(run)?;
    let early: Vec<&Rank> = ranks.iter().map(|at| &run.ranks[*at]).collect();
    let last = |rank: &&Rank| rank.header.begin.realtime as f64 / 1e9 + rank.whole();
    if outside.is_some_and(|outside| early.iter().map(last).any(|last| last > outside - FAR_APART)) {
        return None;
    }
    let End::Inside { call, .. } = &early[0].end else { return None };
    let numbers: Vec<_> = early.iter().map(|rank| world_rank(rank)).collect();
    let headline = format!(
        "{} probably ended first, in {} at {:.6} s: the others waited {} longer.",
        upper(&ranks_in_words(&numbers)),
        call_in_words(run, early[0], call),
        early[0].whole(),
        Value::Seconds(earlier)
    );
    let next = "Look for what ended it there: a signal (a crash, a limit for memory or time) or its host.";
    let finding = Finding::new(FindingKind::Aborted, "run", headline).detail(rest(run)).next(next);
    Some(finding.ranks(numbers).sites(sites(run, early[0], call)))
}

fn when(rank: &Rank) -> String {
    match &rank.end {
        End::Inside { since, call } if call.call == Call::Abort.number() => format!(", {since:.3} s after its start"),
        _ => String::new(),
    }
}

fn sites(run: &Run, rank: &Rank, call: &Signature) -> Vec<String> {
    Some(run.sites.place(rank, call.site)).filter(|site| !site.is_empty()).into_iter().collect()
}
