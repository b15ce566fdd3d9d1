//! The verdict on a run that is over, or that a rank ends: by how it ended, then by the calls that its ranks were in.
//!
//! A run that MPI ended by an error was not hanging, although its ranks were in calls that can never return.

use traces::calls::Call;

use super::SeenRun;
use super::judgement::{FAR_LONGER, Judgement, SILENCE, Verdict, seconds};
use super::rank_names::agree;
use super::reasons::stands;
use super::sightings::{LONG_ENOUGH, PATIENCE};
use crate::endings::{EarlyEnd, FAR_APART, early_end, outlived};
use crate::run_end::RunEnd;
use crate::words::rank_in_words;
use model::ProcessFate;
use model::deadlock::Doubt;
use model::standing::{Entered, Position, RankStanding, ThreadStanding};
use model::tally::CallTotal;
use tables::Value;

/// Seconds within which launchers end after an error in a rank: they give the others time to end.
const SOON: f64 = 10.0;

impl SeenRun<'_> {
    fn is_in(&self, at: usize, call: Call) -> bool {
        self.standing.ranks[at].entered().any(|(_, entered)| entered.call() == Some(call))
    }

    /// True if a rank has called MPI_Abort. In MPICH 5 that call can return, and the rank goes on until the launcher
    /// ends it.
    fn has_aborted(&self, at: usize) -> bool {
        let returned = |total: &CallTotal| total.signature.call == Call::Abort.number() && total.count > 0;
        self.is_in(at, Call::Abort) || self.run.ranks[at].entries().any(returned)
    }

    /// Judges a run that a rank ends by MPI_Abort. While it goes on, only a call that has not returned counts, and only
    /// for `SILENCE`.
    pub(super) fn aborted(&self) -> Option<Judgement> {
        let aborts = |at: &usize| if self.is_live() { self.is_in(*at, Call::Abort) } else { self.has_aborted(*at) };
        let ranks: Vec<usize> = self.all().filter(aborts).collect();
        let first = *ranks.first()?;
        if self.is_live() && self.since(first).is_some_and(|since| since > SILENCE) {
            return None;
        }
        let rests_on = if self.is_live() {
            let called = agree(self.run, &ranks, "has called", "have called");
            format!("{called} MPI_Abort, which ends it")
        } else {
            format!("{} ended it by MPI_Abort", self.names(&ranks))
        };
        Some(Judgement::new(Verdict::No, None, rests_on))
    }

    /// Judges a run that is over and in which a rank was in a call with a partner that its communicator does not have:
    /// such a call returns an error or ends the run.
    pub(super) fn failed(&self) -> Option<Judgement> {
        let lacks_partner = |entered: &Entered| {
            let group = entered.role.object.map(|object| &self.standing.objects.groups[object as usize]);
            group.is_some_and(|group| !group.is_inter() && i64::from(entered.signature.peer) >= group.size() as i64)
        };
        let fails = |at: &usize| self.standing.ranks[*at].entered().any(|(_, entered)| lacks_partner(entered));
        let at = self.all().find(|at| !self.is_live() && fails(at))?;
        let (who, call) = (rank_in_words(&self.run.ranks[at]), stands(self, at));
        let rests_on = format!("{who} {call}, with a partner that does not exist: by such an error MPI ends a run");
        Some(Judgement::new(Verdict::No, None, rests_on))
    }

    /// Judges a run that ended by itself, unsuccessfully, as soon as its ranks had come to their calls: nothing that
    /// hangs ends by itself.
    pub(super) fn ended_at_once(&self) -> Option<Judgement> {
        let end = RunEnd::of(self.run).filter(|_| !self.is_live())?;
        let quiet = self.quiet().filter(|quiet| *quiet < LONG_ENOUGH)?;
        if end.by_itself_at()? - self.last_sign()? > SOON || !self.is_cut_in_calls() {
            return None;
        }
        let lasted = Value::Seconds(quiet);
        let waiting = self.waiting_with(Some(Doubt::Library));
        if !waiting.is_empty() {
            let calls = if waiting.len() == 1 { "call" } else { "calls" };
            let do_not = if waiting.len() == 1 { "can never return" } else { "do not fit" };
            let who = self.names(&waiting);
            let rests_on =
                format!("the {calls} of {who} {do_not}, and MPI ended it, {lasted} after the last rank had come");
            return Some(Judgement::new(Verdict::No, Some(Doubt::Library), rests_on));
        }
        if let Some(early) = early_end(self.run) {
            return Some(self.ended_first(&early));
        }
        let by = "by an error of MPI or a crash in a call";
        let rests_on = format!("it ended by itself, {by}, {lasted} after the last rank had come to its call");
        Some(Judgement::new(Verdict::No, None, rests_on))
    }

    /// True if all ranks that have not finalized MPI were in calls.
    fn is_cut_in_calls(&self) -> bool {
        let is_in_call = |rank: &RankStanding| rank.is_finalized() || rank.entered().next().is_some();
        self.standing.ranks.iter().all(is_in_call)
    }

    /// The last sign of life of any rank, in seconds since 1970.
    fn last_sign(&self) -> Option<f64> {
        let begin = self.run.ranks.first()?.header.begin.realtime as f64 / 1e9;
        Some(begin + self.now[0])
    }

    /// The least time that ranks were in their calls, if nothing else tells that their run hung: it was short, and no
    /// process in front of the launcher saw how it ended.
    pub(super) fn seconds_before_an_unknown_end(&self) -> Option<f64> {
        let quiet = self.quiet()?;
        (self.run.launches.is_empty() && quiet < FAR_APART).then_some(quiet)
    }

    fn ended_first(&self, early: &EarlyEnd) -> Judgement {
        let (who, earlier) = (self.names(&early.ranks), Value::Seconds(early.earlier));
        let rests_on = format!("{who} probably ended first, {earlier} before the others, which still waited");
        Judgement::new(Verdict::No, None, rests_on)
    }

    /// Judges a run that is over by MPI's rules. It takes a sign that ranks waited, since libraries end some runs that
    /// break the rules.
    pub(super) fn by_rules_when_it_ended(&self, doubt: Doubt, waiting: &[usize]) -> Judgement {
        let wait = agree(self.run, waiting, "waits", "wait");
        let has_waited = waiting.iter().any(|at| !self.sightings[*at].sit.is_empty());
        let (waits, has_sign) = match doubt {
            Doubt::Wildcard => {
                let is_taken = has_waited && self.had_time_to_receive(waiting, LONG_ENOUGH);
                let taken = if is_taken { "has taken" } else { "may have taken" };
                (format!("{wait} for a message that a receive posted before {taken}"), is_taken)
            }
            Doubt::Polls => (format!("MPI lets {} wait for what can never come", self.names(waiting)), true),
            _ => (format!("MPI lets {} wait for what can never come", self.names(waiting)), has_waited),
        };
        let (verdict, rests_on) = if has_sign {
            (Verdict::Likely, waits)
        } else {
            (Verdict::Unknown, format!("{waits}, and their files do not tell for how long they did"))
        };
        Judgement::new(verdict, Some(doubt), rests_on)
    }

    /// True if the messages that these ranks wait for were sent `least` seconds before the last sign of life of each, so
    /// that they would have been received.
    pub(super) fn had_time_to_receive(&self, ranks: &[usize], least: f64) -> bool {
        let clock = self.run.common_clock();
        let had_time = |at: &usize| {
            let (rank, line) = (&self.run.ranks[*at], &clock.lines[*at]);
            let last = match self.is_live() {
                true => line.nanoseconds_at(rank.header.begin.ticks) + (self.now[*at] * 1e9) as i64,
                false => line.nanoseconds_at(rank.until),
            };
            let mailbox = &self.graph.mail[*at];
            let mut contested = mailbox.posts.iter().filter(|post| post.is_contested);
            contested.all(|post| {
                let mut fitting = mailbox.under_way.iter().filter(|(class, _)| post.fits(**class));
                fitting.all(|(_, messages)| {
                    let sent = messages.sent.filter(|_| !messages.is_open);
                    sent.is_some_and(|sent| (last - sent.at) as f64 / 1e9 >= least)
                })
            })
        };
        ranks.iter().all(had_time)
    }

    /// Judges a run that is over by how long its ranks were in their last calls, and by whether each could have gone on.
    pub(super) fn by_files(&self) -> Judgement {
        let (quiet, pause) = (self.quiet().unwrap_or(0.0), self.longest_pause());
        if self.all().all(|at| self.was_in_mpi(at)) && quiet >= self.least_silence().max(FAR_LONGER * pause) {
            let rests_on = format!(
                "all ranks are in MPI, and none has moved for {}; the longest pause before was {}",
                seconds(quiet),
                Value::Seconds(pause)
            );
            return Judgement::new(Verdict::Likely, Some(Doubt::Program), rests_on);
        }
        let unknown = self.unknown();
        let outside = |at: &&usize| matches!(self.standing.ranks[**at].position(), Position::Outside { .. });
        let polls = |at: &&usize| matches!(self.standing.ranks[**at].position(), Position::Asking(_));
        let (verdict, rests_on) = if let Some(at) = unknown.iter().find(outside) {
            self.ended_outside(*at)
        } else if let Some(at) = unknown.iter().find(polls) {
            let who = rank_in_words(&self.run.ranks[*at]);
            (
                Verdict::Unknown,
                format!("{who} polled, and its file does not tell whether it would have done anything else"),
            )
        } else if let Some(at) = unknown.first() {
            let (who, where_it_is) = (rank_in_words(&self.run.ranks[*at]), stands(self, *at));
            (Verdict::Unknown, format!("{who} {where_it_is}, and its file does not tell whether that would have ended"))
        } else if let Some(early) = early_end(self.run) {
            return self.ended_first(&early);
        } else {
            self.could_go_on(quiet)
        };
        Judgement::new(verdict, None, rests_on)
    }

    /// The verdict on a run in which a rank ended outside MPI, without MPI_Finalize.
    fn ended_outside(&self, at: usize) -> (Verdict, String) {
        let (run, who) = (self.run, rank_in_words(&self.run.ranks[at]));
        let ended = "ended outside MPI, without MPI_Finalize: on its own (a signal, exit())";
        match (run.ranks[at].fate, outlived(run, at)) {
            (ProcessFate::Ended, Some(later)) => {
                let later = Some(later).filter(|later| *later >= FAR_APART).map(Value::Seconds);
                let later = later.map_or_else(String::new, |later| format!(", {later} after its last call"));
                (Verdict::No, format!("{who} {ended}; the others finalized MPI{later}"))
            }
            (ProcessFate::Ended, None) => {
                (Verdict::Unknown, format!("{who} {ended}, or with the job while it computed or waited there"))
            }
            _ => {
                let does_not_tell = "where its file does not tell whether it computed or waited";
                (Verdict::Unknown, format!("{who} was outside MPI, {does_not_tell}"))
            }
        }
    }

    /// The verdict on a run that is over in which each rank could have gone on.
    fn could_go_on(&self, quiet: f64) -> (Verdict, String) {
        let call = self.complete_call();
        let could = match &call {
            Some((call, _)) => format!("{call}: it could complete"),
            None => "by its files what each rank waited for could still come".into(),
        };
        if RunEnd::of(self.run).is_some_and(|end| end.by_itself_at().is_some()) {
            let by = "it ended by itself, by an error of MPI, a crash or a signal to a rank";
            return (Verdict::No, format!("{could}, and {by}"));
        }
        if quiet >= PATIENCE && self.all().all(|at| self.was_in_mpi(at)) {
            let not = if call.is_some() { "the library had not completed it" } else { "none had moved" };
            return (Verdict::Unknown, format!("{could}, and {not} in {}", seconds(quiet)));
        }
        (Verdict::No, could)
    }

    /// True if every thread of a rank was in MPI, or polling, when the run ended.
    fn was_in_mpi(&self, at: usize) -> bool {
        let seen = &self.sightings[at];
        let was_in_mpi = |thread: &ThreadStanding| match thread.position {
            Position::Inside(_) | Position::Finalized => true,
            Position::Asking(_) => seen.polls.contains(&thread.number),
            Position::Outside { .. } => false,
        };
        seen.strangers.is_none() && self.standing.ranks[at].threads.iter().all(was_in_mpi)
    }
}
