//! Calls at one line that take longer and longer, with the same sizes, and the finding on them.

use super::used_sites::UsedSite;
use super::wrong_order::LEAST_PASSED_OVER;
use super::{Evidence, Finding, FindingKind};
use crate::words::site_in_words;
use model::habits::Growth;
use model::matching::LeftKind;
use model::matching::scenario::RunChange;
use model::roles::CallPart;
use tables::Value;
use tables::number::whole;
use traces::calls::Class;

/// Objects or requests that grew in number while the calls took longer.
struct Growing {
    site: u32,
    kind: LeftKind,
    /// Number that lived after a tenth of the run, and at most.
    first: i64,
    most: i64,
}

/// Calls of one line that take longer and longer.
pub struct Drift<'a> {
    used: &'a UsedSite<'a>,
    /// Mean time of a call in the first and in the last tenth of the run, nanoseconds.
    first: f64,
    last: f64,
    /// The part of all their time beyond what they took at the begin of the run.
    share: f64,
    /// The part beyond that, in seconds of the mean rank.
    pub costs: f64,
}

/// The lines whose calls take longer and longer, that with the largest cost first.
pub fn drifts<'a>(known: &Evidence, sites: &'a [UsedSite<'a>]) -> Vec<Drift<'a>> {
    let mut all: Vec<Drift> = sites.iter().filter_map(|used| Drift::of(known, used)).collect();
    all.sort_by(|one, other| other.costs.total_cmp(&one.costs));
    all
}

/// The findings on calls that take longer and longer.
pub fn findings(known: &Evidence, drifts: &[Drift]) -> Vec<Finding> {
    drifts.iter().map(|drift| drift.finding(known)).collect()
}

impl<'a> Drift<'a> {
    fn finding(&self, known: &Evidence) -> Finding {
        let [first, last] = [self.first, self.last].map(|time| Value::Seconds(time / 1e9));
        let headline = format!(
            "Calls of {} take longer and longer: {first} in the first tenth of the run, {last} in the last one.",
            self.used.place()
        );
        let growing = self.growing(known);
        let lines = growing.iter().filter_map(|growing| known.run.call_sites()[growing.site as usize].line());
        let lines = lines.chain(self.lines()).collect();
        let (detail, next) = match &growing {
            Some(growing) => (
                growing.in_words(known),
                "Complete or free them as the run goes on: the library looks through all of them.",
            ),
            None => (String::new(), "Look for what grows meanwhile: messages that lie there, lists, memory."),
        };
        let finding = Finding::new(FindingKind::Drift, "sites", headline).detail(detail).next(next);
        finding.costs(self.costs).changes(vec![self.change()]).sites(lines)
    }

    /// The objects or requests that grew most at the ranks that make the calls.
    fn growing(&self, known: &Evidence) -> Option<Growing> {
        let left_over = known.account().into_iter().flat_map(|account| &account.left_over);
        let here = left_over.filter(|((at, _), _)| self.used.ranks.iter().any(|(rank, _)| *rank == at.rank));
        let grown = here.filter(|(_, left)| left.live.most() as f64 >= LEAST_PASSED_OVER.get());
        let grown = grown.filter(|(_, left)| left.live.grows_with_the_run());
        let ((at, kind), left) = grown.max_by_key(|((at, kind), left)| (left.live.most(), *kind, *at))?;
        let (first, most) = (left.live.levels()[1], left.live.most());
        Some(Growing { site: at.place.number() as u32, kind: *kind, first, most })
    }

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

impl Growing {
    fn in_words(&self, known: &Evidence) -> String {
        let begun = if self.kind == LeftKind::Request { "begun" } else { "made" };
        let place = site_in_words(&known.run.call_sites()[self.site as usize]);
        let [first, most] = [self.first, self.most].map(|count| whole(count.max(0) as u64));
        format!("Meanwhile the {}s {begun} in {place} grow from {first} to {most}.", name(self.kind))
    }
}

/// The name of a thing that may be left behind.
pub fn name(kind: LeftKind) -> &'static str {
    match kind {
        LeftKind::Communicator => "communicator",
        LeftKind::Window => "window",
        LeftKind::File => "file",
        LeftKind::Datatype => "datatype",
        LeftKind::Group => "group",
        LeftKind::Request => "request",
    }
}
