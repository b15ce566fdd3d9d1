//! Whether a run hangs, for what reason, and where its ranks stand.
//!
//! A set of ranks that no order of events can free hangs for certain if none of them has moved between two looks (the AND-OR model, see
//! [`model::deadlock`]). Without such a set, a run in which nothing moves for far longer than ever before probably hangs, as in
//! ParaStack (Li et al., SC'17), which judges by time alone.

mod ranks;
mod reasons;
mod wavefront;

pub use ranks::{StandingRow, ranks};
pub use reasons::{Reason, ReasonRow, in_words, reasons};
pub use wavefront::{WavefrontRow, wavefront};

use model::deadlock::{Need, deadlocked};
use model::standing::{Change, Look, Position, Standing, Stir, age};
use model::wait_for::{Halt, needs};
use model::{End, ProcessFate, Rank, Run};
use tables::{Fact, Value, facts};

facts! {
    HANGS = "hangs", Text, always;
    LOOKS_APART = "looks_apart_s", Seconds, sometimes;
    QUIET = "quiet_s", Seconds, sometimes;
    LONGEST_PAUSE = "longest_pause_s", Seconds, always;
}

/// How many times its longest pause so far a run has to be quiet before that alone counts.
const FAR_LONGER: f64 = 10.0;

/// What a run does, as far as two looks tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It hangs, by what MPI says of the calls its ranks are in.
    Certain,
    /// It probably hangs.
    Likely,
    /// It does not.
    No,
    /// All its ranks have finalized MPI.
    Finished,
}

impl Verdict {
    /// For programs.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::Certain => "certain",
            Verdict::Likely => "likely",
            Verdict::No => "no",
            Verdict::Finished => "finished",
        }
    }
}

/// All that is found of a run.
pub struct Findings<'a> {
    /// The run.
    pub run: &'a Run,
    /// Where its ranks stand.
    pub standing: &'a Standing,
    /// What each did between two looks; nothing if the run is over.
    pub changes: Vec<Option<Change>>,
    /// Which processes do nothing more.
    pub halts: Vec<Option<Halt>>,
    /// What each rank needs.
    pub needs: Vec<Need>,
    /// Those that will never go on.
    pub stuck: Vec<bool>,
    /// Seconds since each rank's recording began, at the last look.
    now: Vec<f64>,
    looks_apart: Option<f64>,
}

impl<'a> Findings<'a> {
    /// From where the ranks stand, and two looks at them.
    pub fn of(run: &'a Run, standing: &'a Standing, first: &Look, last: &Look) -> Findings<'a> {
        let changes: Vec<Change> = run.ranks.iter().map(|rank| first.until(last, rank)).collect();
        let is_alive = |(rank, change): (&Rank, &Change)| {
            rank.fate == ProcessFate::Runs || (rank.fate == ProcessFate::Unknown && change.stir != Stir::None)
        };
        let is_live = run.ranks.iter().zip(&changes).any(is_alive);
        let halt = |(rank, change): (&Rank, &Change)| match change.process.map(|process| process.state) {
            _ if !is_live || matches!(rank.end, End::Finalized) => None,
            _ if rank.fate == ProcessFate::Ended => Some(Halt::Dead),
            state => state.and_then(Halt::of),
        };
        let halts: Vec<Option<Halt>> = run.ranks.iter().zip(&changes).map(halt).collect();
        let needs = needs(standing, &halts);
        let stuck = deadlocked(&needs);
        let now = if is_live { live(run, last) } else { over(run, standing) };
        let changes = changes.into_iter().map(|change| is_live.then_some(change)).collect();
        let looks_apart = is_live.then(|| (last.monotonic - first.monotonic) as f64 / 1e9);
        Findings { run, standing, changes, halts, needs, stuck, now, looks_apart }
    }

    /// Ranks that wait for ever, and whose processes are there.
    pub fn waiting(&self) -> impl Iterator<Item = usize> {
        (0..self.stuck.len()).filter(|at| {
            let finalized = matches!(self.standing.ranks[*at].position, Position::Finalized);
            self.stuck[*at] && self.halts[*at] != Some(Halt::Dead) && !finalized
        })
    }

    /// See [`Verdict`].
    pub fn verdict(&self) -> Verdict {
        let stays = |at: usize| self.changes[at].is_none_or(|change| change.stir <= Stir::Polls);
        if self.run.ranks.iter().all(|rank| matches!(rank.end, End::Finalized)) {
            return Verdict::Finished;
        }
        match self.waiting().next() {
            None if self.is_silent() => Verdict::Likely,
            None => Verdict::No,
            Some(_) if !self.waiting().all(stays) => Verdict::No,
            Some(_) if self.is_sure() => Verdict::Certain,
            Some(_) => Verdict::Likely,
        }
    }

    /// Whether all that the graph rests on is known, and none of it may be out of date.
    fn is_sure(&self) -> bool {
        let run = self.run;
        let whole = |rank: &Rank| {
            !rank.is_profile()
                && rank.header.lost == 0
                && rank.thread_count() <= 1
                && rank.fate != ProcessFate::Unknown
                && matches!(rank.filter.as_str(), "" | "-query" | "all" | "+all")
        };
        let asks = |at: usize| matches!(self.standing.ranks[at].position, Position::Asking(_));
        run.missing.is_empty()
            && run.unrecorded.is_empty()
            && run.unreadable.is_empty()
            && run.ranks.iter().all(whole)
            && !self.waiting().any(asks)
    }

    /// Whether nothing moves any more, for far longer than the run ever paused.
    pub fn is_silent(&self) -> bool {
        let is_silent = |change: &Option<Change>| change.is_some_and(|change| change.stir <= Stir::Polls);
        let computes = |at: usize| {
            let outside = matches!(self.standing.ranks[at].position, Position::Outside { .. });
            outside && self.changes[at].is_none_or(|change| change.computed || change.process.is_none())
        };
        self.changes.iter().all(is_silent)
            && !(0..self.changes.len()).any(computes)
            && self.quiet().is_some_and(|quiet| quiet > FAR_LONGER * self.longest_pause())
    }

    /// Since when a rank is where it is, in seconds before the last look.
    pub fn since(&self, at: usize) -> Option<f64> {
        Some((self.now[at] - self.standing.ranks[at].since()?).max(0.0))
    }

    /// For how long no rank has moved.
    pub fn quiet(&self) -> Option<f64> {
        (0..self.now.len()).filter_map(|at| self.since(at)).reduce(f64::min)
    }

    /// The longest pause of any rank before that: in a call, or between two.
    pub fn longest_pause(&self) -> f64 {
        self.standing.ranks.iter().map(|rank| rank.past.longest_pause as f64 / 1e9).fold(0.0, f64::max)
    }

    /// The verdict, and what it rests on.
    pub fn facts(&self) -> Vec<Fact> {
        let pause = Fact::new(LONGEST_PAUSE, "longest pause", Value::Seconds(self.longest_pause()));
        let mut facts = vec![
            Fact::hidden(HANGS, Value::Text(self.verdict().key().into())),
            pause.note(" before, of a rank in a call or between two"),
        ];
        facts
            .extend(self.quiet().map(|quiet| Fact::new(QUIET, "quiet", Value::Seconds(quiet)).note(": no rank moved")));
        let apart = |apart| Fact::new(LOOKS_APART, "looks", Value::Seconds(apart)).note(" apart");
        facts.extend(self.looks_apart.map(apart));
        facts
    }
}

/// Of ranks that still run, by the clocks of their hosts.
fn live(run: &Run, look: &Look) -> Vec<f64> {
    run.ranks.iter().map(|rank| age(rank, (look.monotonic, look.realtime))).collect()
}

/// Of a run that is over: when the last of its ranks did something.
fn over(run: &Run, standing: &Standing) -> Vec<f64> {
    let began = |rank: &Rank| rank.header.begin.realtime as f64 / 1e9;
    let ranks = || run.ranks.iter().zip(&standing.ranks);
    let ended = ranks().map(|(rank, at)| began(rank) + at.since().unwrap_or(0.0)).fold(0.0, f64::max);
    run.ranks.iter().map(|rank| ended - began(rank)).collect()
}
