//! The verdict on a run, and the evidence for it.
//!
//! The graph comes first: ranks that no order of events can free hang, for certain if no doubt had to be put aside.
//! Then time: a run in which nothing moves hangs if that lasts far longer than it ever did before. If neither decides,
//! the verdict is unknown.

use traces::calls::Call;
use traces::signature::Signature;

use super::SeenRun;
use super::rank_names::{agree, names};
use super::ranks::call_of;
use super::reasons::stands;
use super::sightings::{LONG_ENOUGH, PATIENCE};
use crate::run_end::RunEnd;
use crate::words::rank_in_words;
use model::ProcessFate;
use model::deadlock::{Doubt, Need, deadlocked};
use model::roles::CallPart;
use model::standing::{Position, RankStanding, Stir};
use model::wait_for::Halt;
use tables::Value;

/// Silence counts once it lasts this many times the run's longest pause so far.
pub(super) const FAR_LONGER: f64 = 10.0;
/// The least silence that counts, in seconds.
pub(super) const SILENCE: f64 = 60.0;
/// The least silence, in seconds, while ranks are in MPI_Init or have called nothing since: large jobs take minutes to
/// start.
const START: f64 = 600.0;

/// The verdict after two looks at a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It hangs, by MPI's rules for the calls that its ranks are in.
    Certain,
    /// It probably hangs.
    Likely,
    /// It does not hang.
    No,
    /// All its ranks have finalized MPI.
    Finished,
    /// The evidence does not decide.
    Unknown,
}

impl Verdict {
    pub fn key(self) -> &'static str {
        match self {
            Verdict::Certain => "certain",
            Verdict::Likely => "likely",
            Verdict::No => "no",
            Verdict::Finished => "finished",
            Verdict::Unknown => "unknown",
        }
    }

    pub fn hangs(self) -> bool {
        matches!(self, Verdict::Certain | Verdict::Likely)
    }
}

/// A verdict and the evidence for it.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub verdict: Verdict,
    /// The evidence, as a sentence without a full stop.
    pub rests_on: String,
    /// The doubts that were put aside to find the ranks that wait for ever.
    pub aside: Option<Doubt>,
    /// Seconds until another look may tell more.
    pub wait: Option<f64>,
}

impl Judgement {
    pub(super) fn new(verdict: Verdict, aside: Option<Doubt>, rests_on: String) -> Judgement {
        Judgement { verdict, rests_on, aside, wait: None }
    }
}

/// Judges a run by its graph and by time.
pub fn judge(seen: &SeenRun<'_>) -> Judgement {
    if let Some(judgement) = seen.aborted().or_else(|| seen.failed()).or_else(|| seen.ended_at_once()) {
        return judgement;
    }
    if seen.standing.ranks.iter().all(RankStanding::is_finalized) {
        let rests_on = match RunEnd::of(seen.run) {
            Some(_) => "all its ranks had finalized MPI before it ended as it did",
            None => "all its ranks have finalized MPI",
        };
        return Judgement::new(Verdict::Finished, None, rests_on.into());
    }
    if let Some(judgement) = seen.without_doubt().or_else(|| seen.by_rules()) {
        return judgement;
    }
    if seen.is_live() { seen.by_time() } else { seen.by_files() }
}

pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 120.0 { format!("{seconds:.1} s") } else { format!("{:.0} minutes", seconds / 60.0) }
}

impl SeenRun<'_> {
    pub(super) fn all(&self) -> std::ops::Range<usize> {
        0..self.standing.ranks.len()
    }

    pub(super) fn names(&self, ranks: &[usize]) -> String {
        names(self.run, ranks)
    }

    /// Judges by the ranks that nothing frees, without putting any doubt aside.
    fn without_doubt(&self) -> Option<Judgement> {
        let waiting = self.waiting_with(None);
        if waiting.is_empty() || self.moves_data(&waiting) {
            return None;
        }
        let wait = agree(self.run, &waiting, "waits", "wait");
        let is_seen = |at: &usize| self.run.ranks[*at].fate != ProcessFate::Unknown;
        let (verdict, rests_on) = match (waiting.iter().all(is_seen), self.is_live()) {
            (true, true) => {
                let apart = Value::Seconds(self.looks_apart());
                let still = format!("none of them moved between two looks {apart} apart");
                (Verdict::Certain, format!("{wait} for what can never come, and {still}"))
            }
            (true, false) => match self.seconds_before_an_unknown_end() {
                None => (Verdict::Certain, format!("{wait} for what can never come")),
                Some(lasted) => {
                    let lasted = Value::Seconds(lasted);
                    let unless = format!("unless MPI ended it by an error: their files tell of {lasted} there");
                    (Verdict::Likely, format!("{wait} for what can never come, {unless}"))
                }
            },
            (false, _) => {
                let unseen = "whether their processes are still there cannot be seen from this host";
                (Verdict::Likely, format!("{wait} for what can never come; {unseen}"))
            }
        };
        Some(Judgement::new(verdict, None, rests_on))
    }

    /// True if one of these ranks made calls or moved data between the looks: the awaited data may be arriving.
    fn moves_data(&self, ranks: &[usize]) -> bool {
        ranks.iter().any(|at| self.changes[*at].as_ref().is_some_and(|change| change.stir() > Stir::Polls))
    }

    /// Judges by MPI's rules: by ranks that nothing frees, unless the job ends or the library need not wait where MPI
    /// allows it to.
    fn by_rules(&self) -> Option<Judgement> {
        // In a run that goes on, polls are judged by how long nothing else moves.
        let polls = (!self.is_live()).then_some(Doubt::Polls);
        let doubts = [Doubt::Ending, Doubt::Library, Doubt::Wildcard].into_iter().chain(polls);
        let found = doubts.map(|doubt| (doubt, self.waiting_with(Some(doubt))));
        let (doubt, waiting) = found.into_iter().find(|(_, waiting)| !waiting.is_empty())?;
        let wait = agree(self.run, &waiting, "waits", "wait");
        if !self.is_live() {
            return Some(self.by_rules_when_it_ended(doubt, &waiting));
        }
        let quiet = self.quiet_among(waiting.iter().copied());
        if self.moves_data(&waiting) {
            return None;
        }
        let is_enough = quiet >= PATIENCE && (doubt != Doubt::Wildcard || self.had_time_to_receive(&waiting, PATIENCE));
        let lets = format!("MPI lets {} wait for what can never come", self.names(&waiting));
        let (verdict, rests_on) = match (doubt, is_enough) {
            (Doubt::Ending, true) => (
                Verdict::Certain,
                format!("{wait} for what a dead rank would have to do, and have not moved for {}", seconds(quiet)),
            ),
            (Doubt::Ending, false) => {
                let soon = "its launcher may be about to end the others";
                (Verdict::Unknown, format!("{wait} for what a dead rank would have to do, and {soon}"))
            }
            (Doubt::Wildcard, true) => {
                let taken = "for a message that a receive posted before has taken";
                let still = format!("its send is over, and they have not moved for {}", seconds(quiet));
                (Verdict::Likely, format!("{wait} {taken}: {still}"))
            }
            (Doubt::Wildcard, false) => {
                let maybe = "for a message that a receive from any source, posted before, may have taken";
                let so_far = format!("{PATIENCE:.0} s without a move would tell, {} so far", seconds(quiet));
                (Verdict::Unknown, format!("{wait} {maybe}; {so_far}"))
            }
            (_, true) => (Verdict::Likely, format!("{}, and they have not moved for {}", lets, seconds(quiet))),
            (_, false) => {
                let so_far = format!(
                    "libraries may do without; {PATIENCE:.0} s without a move would tell, {} so far",
                    seconds(quiet)
                );
                (Verdict::Unknown, format!("by MPI's rules {wait} for what can never come, but {so_far}"))
            }
        };
        let wait = (quiet < PATIENCE).then_some(PATIENCE - quiet);
        Some(Judgement { wait, ..Judgement::new(verdict, Some(doubt), rests_on) })
    }

    /// Ranks that nothing in the recorded calls and messages can free, although something else may.
    pub(super) fn unknown(&self) -> Vec<usize> {
        let known: Vec<Need> = self.graph.needs.iter().map(Need::as_far_as_known).collect();
        let stuck = deadlocked(&known, Some(Doubt::Program));
        self.all().filter(|at| stuck[*at] && !self.standing.ranks[*at].is_finalized()).collect()
    }

    /// Judges a run that goes on by what moved or computed between the two looks.
    fn by_time(&self) -> Judgement {
        let stopped: Vec<usize> = self.all().filter(|at| self.sightings[*at].halt == Some(Halt::Stopped)).collect();
        let mut held = self.waiting_with(Some(Doubt::Stopped));
        let before = self.waiting_with(Some(Doubt::Program));
        held.retain(|at| !before.contains(at));
        if !stopped.is_empty() && (held.iter().any(|at| !stopped.contains(at)) || held.len() == self.all().len()) {
            let stopped = agree(self.run, &stopped, "is stopped", "are stopped");
            let rests_on = format!("{stopped}, by a signal or a debugger, and the run may go on when that is over");
            return Judgement::new(Verdict::Unknown, Some(Doubt::Stopped), rests_on);
        }
        let judgement = match self.moves() {
            Some(moves) => Judgement::new(Verdict::No, None, moves),
            None => self.by_silence(),
        };
        // Only looks that are far enough apart show which sends are not buffered.
        let apart = (!before.is_empty() && self.looks_apart() < LONG_ENOUGH).then_some(LONG_ENOUGH);
        Judgement { wait: judgement.wait.or(apart), ..judgement }
    }

    /// The ranks that moved or computed between the looks, in words.
    fn moves(&self) -> Option<String> {
        let stirs = |stir: Stir| {
            let does = |at: &usize| self.changes[*at].as_ref().is_some_and(|change| change.stir() == stir);
            self.all().filter(does).collect::<Vec<usize>>()
        };
        let within = format!("between two looks {} apart", Value::Seconds(self.looks_apart()));
        let calls = stirs(Stir::Calls);
        if !calls.is_empty() {
            return Some(format!("{} made calls {within}", self.names(&calls)));
        }
        let can_be_seen = |at: &usize| self.changes[*at].as_ref().is_some_and(|change| !change.tasks.is_empty());
        let computing: Vec<usize> = self.all().filter(|at| self.may_compute(*at) && can_be_seen(at)).collect();
        if !computing.is_empty() {
            return Some(format!("{} outside MPI", agree(self.run, &computing, "computes", "compute")));
        }
        let progress = stirs(Stir::Progress);
        (!progress.is_empty()).then(|| format!("MPI moved data in {} {within}", self.names(&progress)))
    }

    fn may_compute(&self, at: usize) -> bool {
        self.sightings[at].computes && !self.standing.ranks[at].is_finalized()
    }

    /// Judges a run in which nothing moves by how long that has lasted.
    fn by_silence(&self) -> Judgement {
        let quiet = self.quiet().unwrap_or(0.0);
        let pause = self.longest_pause();
        let enough = self.least_silence().max(FAR_LONGER * pause);
        let is_seen = self.all().all(|at| !self.may_compute(at));
        if is_seen && quiet >= enough {
            let rests_on = format!(
                "no rank has moved for {}, and none computes; the longest pause before was {}",
                seconds(quiet),
                Value::Seconds(pause)
            );
            return Judgement::new(Verdict::Likely, Some(Doubt::Program), rests_on);
        }
        let unknown = self.unknown();
        let so_far = format!("no rank has moved for {}; {} would tell", seconds(quiet), seconds(enough));
        let outside = |at: &&usize| matches!(self.standing.ranks[**at].position(), Position::Outside { .. });
        let rests_on = if let Some(at) = self.all().find(|at| self.may_compute(*at)) {
            let who = rank_in_words(&self.run.ranks[at]);
            format!("{who} is outside MPI, and whether it computes there can only be seen on its host")
        } else if let Some(at) = self.all().find(|at| self.starts(*at)) {
            let (who, stands) = (rank_in_words(&self.run.ranks[at]), stands(self, at));
            format!("it is starting: {who} {stands}; {so_far}, since a start may take minutes")
        } else if let Some(at) = unknown.iter().find(outside) {
            let (who, stands) = (rank_in_words(&self.run.ranks[*at]), stands(self, *at));
            format!("{who} {stands}, and sleeps there or waits for something, as for a file; {so_far}")
        } else if let Some((call, _)) = self.complete_call() {
            format!("{call}: it can complete, and the library has not completed it; {so_far}")
        } else if unknown.is_empty() {
            format!("what each rank waits for has come, or can; {so_far}")
        } else {
            so_far
        };
        let is_brief = unknown.is_empty() && quiet < LONG_ENOUGH;
        let wait = is_brief.then_some(LONG_ENOUGH - quiet);
        let wait = wait.or((is_seen && enough < SILENCE).then_some(enough - quiet));
        Judgement { wait, ..Judgement::new(Verdict::Unknown, None, rests_on) }
    }

    /// The least silence, in seconds, that makes a hang likely.
    pub(super) fn least_silence(&self) -> f64 {
        let polls = || !self.waiting_with(Some(Doubt::Polls)).is_empty();
        if self.all().any(|at| self.starts(at)) {
            START
        } else if polls() {
            PATIENCE
        } else {
            SILENCE
        }
    }

    /// True if a rank is in MPI_Init, or has called nothing since.
    fn starts(&self, at: usize) -> bool {
        let begins = |signature: &Signature| Call::from_number(signature.call).is_some_and(Call::begins_mpi);
        self.standing.ranks[at].threads.iter().any(|thread| match &thread.position {
            Position::Inside(entered) => entered.role.what == CallPart::Begin || begins(&entered.signature),
            position => call_of(position).is_none_or(&begins) && !matches!(position, Position::Finalized),
        })
    }
}
