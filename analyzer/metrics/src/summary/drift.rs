//! Calls at one line that take longer and longer, with the same sizes, and the finding on them.

use super::Evidence;
use super::used_sites::UsedSite;
use model::habits::Growth;
use model::matching::scenario::RunChange;
use model::roles::CallPart;
use tables::Value;
use traces::calls::Class;

/// Calls of one line that take longer and longer.
pub struct Drift<'a> {
    used: &'a UsedSite<'a>,
    /// Mean time of a call in the first and in the last tenth of the run, nanoseconds.
    first: f64,
    last: f64,
    /// The part of all their time beyond what they took at the begin of the run.
    share: f64,
    /// That time in seconds of the mean rank.
    pub costs: f64,
}

/// The lines whose calls take longer and longer, that with the largest cost first.
pub fn drifts<'a>(known: &Evidence, sites: &'a [UsedSite<'a>]) -> Vec<Drift<'a>> {
    let mut all: Vec<Drift> = sites.iter().filter_map(|used| Drift::of(known, used)).collect();
    all.sort_by(|one, other| other.costs.total_cmp(&one.costs));
    all
}

impl<'a> Drift<'a> {
    fn of(known: &Evidence, used: &'a UsedSite<'a>) -> Option<Drift<'a>> {
        let grown = used.ranks.iter().filter_map(|(rank, habits)| Some((*rank, habits.over_run.growth()?)));
        let grown: Vec<(u32, Growth)> = grown.collect();
        let (_, most) = grown.iter().max_by(|one, other| one.1.beyond.total_cmp(&other.1.beyond))?;
        let (first, last) = (most.first, most.last);
        let beyond: f64 = grown.iter().map(|(_, growth)| growth.beyond).sum();
        let costs = known.mean(beyond as i64);
        let share = beyond / used.own().max(1) as f64;
        Some(Drift { used, first, last, share, costs })
    }

    /// True of calls that send, receive or complete: the more receives and messages lie there, the longer the library searches.
    pub fn is_of_messages(&self) -> bool {
        let has_part = |part| matches!(part, CallPart::Message { .. } | CallPart::Probe);
        let completes = self.used.call().is_some_and(|call| call.class() == Class::Completion);
        completes || self.used.ranks.iter().any(|(_, habits)| has_part(habits.part))
    }

    /// `A call of MPI_Sendrecv at p.c:26 takes 0.7 us in the first tenth of the run and 12 us in the last one.`
    pub fn in_words(&self) -> String {
        let [first, last] = [self.first, self.last].map(|time| Value::Seconds(time / 1e9));
        format!(
            "A call of {} takes {first} in the first tenth of the run and {last} in the last one.",
            self.used.place()
        )
    }

    /// The run in which all calls are as short as at its begin.
    pub fn change(&self) -> RunChange {
        RunChange::Calls(vec![self.used.number], 1.0 - self.share.clamp(0.0, 1.0))
    }

    pub fn lines(&self) -> Vec<String> {
        self.used.sites()
    }
}
