//! Decides if a run hangs, and says why and where its ranks are.
//!
//! A set of ranks that no order of events can free hangs for certain if none of them moved between two looks (the
//! AND-OR model, see [`model::deadlock`]). Without such a set, a run in which nothing moves for far longer than ever
//! before probably hangs; ParaStack (Li et al., SC'17) judges by time alone.

mod complete_calls;
mod judgement;
mod object_names;
mod over;
mod rank_names;
mod ranks;
mod reasons;
mod sightings;
mod wavefront;

pub use judgement::{Judgement, Verdict};
pub use ranks::{StandingRow, ranks};
pub use reasons::{Reason, ReasonRow, in_words, reasons};
pub use wavefront::{WavefrontRow, wavefront};

use crate::words::upper;
use model::deadlock::{Doubt, deadlocked};
use model::error::Error;
use model::standing::{Change, Look, Position, Standing, Stir, age};
use model::wait_for::{Halt, Sighting, WaitFor};
use model::{ProcessFate, Rank, Run};
use object_names::ObjectNumbers;
use sightings::sightings;
use tables::{Fact, Value, facts};

facts! {
    HANGS = "hangs", Text, always,
        "The verdict: certain or likely, if it hangs; no, if it does not; finished, if all ranks have finalized MPI; \
         unknown, if nobody can tell.";
    RESTS_ON = "rests_on", Text, always, "The evidence for the verdict, in a sentence.";
    LOOKS_APART = "looks_apart_s", Seconds, sometimes,
        "The time between the two looks that the verdict rests on, if the run may still go on.";
    QUIET = "quiet_s", Seconds, sometimes,
        "How long no rank had moved at the last look: the least time that any is where it is.";
    LONGEST_PAUSE = "longest_pause_s", Seconds, always,
        "The longest time that a rank was in one call, or between two, before that.";
}

/// True if all processes of a run with single calls have ended, and not all by MPI_Finalize: then it may have hung.
pub fn may_have_hung(run: &Run) -> bool {
    !run.goes_on() && !run.ranks.iter().all(Rank::is_finalized) && run.records_calls()
}

/// The verdict on a run that was hanging when it ended, or whose calls did not fit so that MPI ended it.
pub struct EndVerdict {
    pub is_hang: bool,
    /// The verdict, and each reason.
    pub words: Vec<String>,
}

/// The verdict on a run that is over; `None` if nothing held its ranks, or if the evidence does not decide. The run has
/// to be read whole.
///
/// # Errors
/// The folder cannot be read.
pub fn verdict_at_its_end(run: &Run) -> Result<Option<EndVerdict>, Error> {
    let (standing, look) = (Standing::of(run), Look::of(&run.folder)?);
    let findings = Findings::of(run, &standing, &look, &look);
    let judgement = &findings.judgement;
    let mut words = in_words(&findings);
    if judgement.verdict.hangs() {
        return Ok(Some(EndVerdict { is_hang: true, words }));
    }
    if judgement.verdict != Verdict::No || judgement.aside.is_none() {
        return Ok(None);
    }
    words[0] = upper(&judgement.rests_on) + ".";
    Ok(Some(EndVerdict { is_hang: false, words }))
}

/// Everything found out about a run.
pub struct Findings<'a> {
    pub seen: SeenRun<'a>,
    pub judgement: Judgement,
    /// By rank: true if it waits for ever, by the verdict.
    pub stuck: Vec<bool>,
    /// The ranks that wait for ever, by the verdict, and whose processes exist.
    pub waiting: Vec<usize>,
}

/// The positions of a run's ranks, and two looks at them: what the verdict rests on.
pub struct SeenRun<'a> {
    pub run: &'a Run,
    pub standing: &'a Standing,
    /// Each rank's change between the two looks; `None` if the run is over.
    pub changes: Vec<Option<Change>>,
    /// The facts that the wait-for graph needs from the changes.
    pub sightings: Vec<Sighting>,
    pub graph: WaitFor,
    /// Seconds from the begin of each rank's recording to the last look.
    now: Vec<f64>,
    looks_apart: Option<f64>,
    object_numbers: ObjectNumbers,
}

impl<'a> Findings<'a> {
    /// Judges a run by the positions of its ranks and two looks at them.
    pub fn of(run: &'a Run, standing: &'a Standing, first: &Look, last: &Look) -> Findings<'a> {
        let seen = SeenRun::of(run, standing, first, last);
        let judgement = judgement::judge(&seen);
        let stuck = seen.deadlocked(judgement.aside);
        let waiting = seen.waiting_among(&stuck);
        Findings { seen, judgement, stuck, waiting }
    }

    /// The verdict, its evidence, and the times behind it.
    pub fn facts(&self) -> Vec<Fact> {
        let seen = &self.seen;
        let pause = Fact::new(LONGEST_PAUSE, "longest pause", Value::Seconds(seen.longest_pause()));
        let mut facts = vec![
            Fact::hidden(HANGS, Value::Text(self.judgement.verdict.key().into())),
            Fact::hidden(RESTS_ON, Value::Text(self.judgement.rests_on.clone())),
            pause.note(" before, of a rank in a call or between two"),
        ];
        if let Some(quiet) = seen.quiet() {
            facts.push(Fact::new(QUIET, "quiet", Value::Seconds(quiet)).note(": no rank moved"));
        }
        if let Some(apart) = seen.looks_apart {
            facts.push(Fact::new(LOOKS_APART, "looks", Value::Seconds(apart)).note(" apart"));
        }
        facts
    }
}

impl<'a> SeenRun<'a> {
    fn of(run: &'a Run, standing: &'a Standing, first: &Look, last: &Look) -> SeenRun<'a> {
        let changes: Vec<Change> = run.ranks.iter().map(|rank| first.until(last, rank)).collect();
        let is_alive = |(rank, change): (&Rank, &Change)| {
            rank.fate == ProcessFate::Runs || (rank.fate == ProcessFate::Unknown && change.stir() != Stir::None)
        };
        let is_live = run.ranks.iter().zip(&changes).any(is_alive);
        let changes: Vec<Option<Change>> = changes.into_iter().map(|change| is_live.then_some(change)).collect();
        let sightings = sightings(run, standing, &changes, last);
        let graph = WaitFor::of(standing, &sightings);
        let now = if is_live { live(run, last) } else { over(run, standing) };
        let looks_apart = is_live.then(|| (last.monotonic - first.monotonic) as f64 / 1e9);
        let object_numbers = ObjectNumbers::default();
        SeenRun { run, standing, changes, sightings, graph, now, looks_apart, object_numbers }
    }

    /// True if a process of the run still exists.
    pub fn is_live(&self) -> bool {
        self.looks_apart.is_some()
    }

    /// Tells for each rank if it waits for ever when doubts up to `aside` are put aside.
    fn deadlocked(&self, aside: Option<Doubt>) -> Vec<bool> {
        deadlocked(&self.graph.needs, aside)
    }

    /// The ranks in `stuck` whose processes exist and have not finalized MPI.
    fn waiting_among(&self, stuck: &[bool]) -> Vec<usize> {
        let is_there = |at: &usize| {
            stuck[*at] && self.sightings[*at].halt != Some(Halt::Dead) && !self.standing.ranks[*at].is_finalized()
        };
        (0..stuck.len()).filter(is_there).collect()
    }

    /// The ranks that wait for ever when doubts up to `aside` are put aside, and whose processes exist.
    fn waiting_with(&self, aside: Option<Doubt>) -> Vec<usize> {
        self.waiting_among(&self.deadlocked(aside))
    }

    fn looks_apart(&self) -> f64 {
        self.looks_apart.unwrap_or(0.0)
    }

    /// Seconds that a rank has been at its position, until the last look. The last of its threads that moved counts.
    pub fn since(&self, at: usize) -> Option<f64> {
        let threads = &self.standing.ranks[at].threads;
        let counts = threads.iter().filter(|thread| !self.sightings[at].ended.contains(&thread.number));
        let since = counts.filter_map(|thread| self.since_of(at, &thread.position)).reduce(f64::min);
        since.or_else(|| self.since_of(at, self.standing.ranks[at].position()))
    }

    /// Seconds that a thread has been at this position, until the last look.
    pub fn since_of(&self, at: usize, position: &Position) -> Option<f64> {
        Some((self.now[at] - position.spot().since()?).max(0.0))
    }

    /// Seconds since the last move of any of these ranks.
    fn quiet_among(&self, ranks: impl IntoIterator<Item = usize>) -> f64 {
        ranks.into_iter().filter_map(|at| self.since(at)).reduce(f64::min).unwrap_or(0.0)
    }

    /// Seconds since the last move of any rank.
    pub fn quiet(&self) -> Option<f64> {
        (0..self.now.len()).filter_map(|at| self.since(at)).reduce(f64::min)
    }

    /// The longest pause of any rank before its current one, in seconds: in a call, or between two.
    pub fn longest_pause(&self) -> f64 {
        self.standing.ranks.iter().map(|rank| rank.past.longest_pause as f64 / 1e9).fold(0.0, f64::max)
    }
}

/// The age of each rank's recording at the last look, in seconds, by the clocks of the hosts.
fn live(run: &Run, look: &Look) -> Vec<f64> {
    run.ranks.iter().map(|rank| age(rank, (look.monotonic, look.realtime))).collect()
}

/// The age of each rank's recording at the last sign of life of any rank, in seconds, for a run that has ended.
fn over(run: &Run, standing: &Standing) -> Vec<f64> {
    let began = |rank: &Rank| rank.header.begin.realtime as f64 / 1e9;
    let ranks = || run.ranks.iter().zip(&standing.ranks);
    let ended = ranks().map(|(rank, at)| {
        let since = at.threads.iter().filter_map(|thread| thread.position.spot().since());
        began(rank) + since.fold(rank.wall(), f64::max)
    });
    let ended = ended.fold(0.0, f64::max);
    run.ranks.iter().map(|rank| ended - began(rank)).collect()
}
