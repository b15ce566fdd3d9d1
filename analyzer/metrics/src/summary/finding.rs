//! A conclusion about a run: its kind, cost, sentences and cure.

use super::limits::limits;
use std::collections::BTreeSet;

use super::{Evidence, FindingKind};
use model::matching::scenario::RunChange;
use tables::WorldRank;

limits! {
    /// A cheaper finding, as a share of the mean rank's wall time, is not worth a user's time.
    LEAST_SHARE_OF_RUN = 0.02, Least, "of the run", Convention;
    /// Least share of delays that hit another rank each time: in programs with even work, a few percent come from the machine.
    LEAST_SHARE_OF_JITTER = 0.05, Least, "of the run", Measured;
}

/// Time by which the run would be shorter, in seconds, and its maximum error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Saving {
    pub time: f64,
    pub error: f64,
}

/// A conclusion, with its cost and its cure.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// Its cost at most, in seconds of the mean rank's time; `None` if unknown.
    pub costs: Option<f64>,
    /// Changes to the run that cure it; empty if no replay can make them.
    pub(super) changes: Vec<RunChange>,
    /// By how much the run would be shorter with these changes; `None` if that is unknown.
    pub saving: Option<Saving>,
    /// The section of the page that shows the figures.
    pub section: &'static str,
    /// One sentence: who and where. What it costs is said behind it once all findings are known.
    pub headline: String,
    /// Further sentences, or none.
    pub detail: String,
    /// Advice on what to try next.
    pub next: Option<String>,
    /// The ranks that cause it.
    pub ranks: Vec<WorldRank>,
    /// The call sites that it names, the cause first.
    pub sites: Vec<String>,
    /// True if the ranks sleep, or wait for input or output, outside MPI: samples of processor time find nothing there.
    pub is_off_processor: bool,
}

impl Finding {
    pub(super) fn new(kind: FindingKind, section: &'static str, headline: impl Into<String>) -> Finding {
        let (headline, detail) = (headline.into(), String::new());
        let (costs, saving, next, is_off_processor) = (None, None, None, false);
        let (changes, ranks, sites) = (Vec::new(), Vec::new(), Vec::new());
        Finding { kind, costs, changes, saving, section, headline, detail, next, ranks, sites, is_off_processor }
    }

    pub(super) fn costs(self, seconds: f64) -> Finding {
        Finding { costs: Some(seconds), ..self }
    }

    pub(super) fn changes(self, changes: Vec<RunChange>) -> Finding {
        Finding { changes, ..self }
    }

    pub(super) fn detail(self, detail: impl Into<String>) -> Finding {
        Finding { detail: detail.into(), ..self }
    }

    pub(super) fn next(self, next: impl Into<String>) -> Finding {
        Finding { next: Some(next.into()), ..self }
    }

    pub(super) fn ranks(self, ranks: Vec<WorldRank>) -> Finding {
        Finding { ranks, ..self }
    }

    pub(super) fn sites(self, sites: Vec<String>) -> Finding {
        Finding { sites, ..self }
    }

    /// True if the other finding names only ranks that this one names, too.
    pub(super) fn has_ranks_of(&self, other: &Finding) -> bool {
        let own: BTreeSet<WorldRank> = self.ranks.iter().copied().collect();
        other.ranks.iter().all(|rank| own.contains(rank))
    }

    /// Adds another finding of the same cause to this one.
    pub(super) fn join(&mut self, other: Finding) {
        self.add_costs(other.costs.unwrap_or(0.0));
        self.changes.extend(other.changes);
        self.sites.extend(other.sites);
    }

    pub(super) fn add_costs(&mut self, seconds: f64) {
        self.costs = self.costs.map(|costs| costs + seconds);
    }

    /// Seconds by which findings are ordered: what the run would be shorter by, or else what it costs at most.
    pub fn worth(&self) -> f64 {
        self.saving.map(|saving| saving.time).or(self.costs).unwrap_or(0.0)
    }

    /// Adds a sentence, or nothing.
    pub(super) fn add(&mut self, sentence: &str) {
        if !(self.detail.is_empty() || sentence.is_empty()) {
            self.detail.push(' ');
        }
        self.detail.push_str(sentence);
    }

    /// True if lateness at this finding's calls is a part of its cost. With `has_more_work`, the late ranks compute longer than others.
    pub(super) fn explains(&self, late: &Finding, has_more_work: bool) -> bool {
        let is_here = || self.sites.first().is_some_and(|site| late.sites.iter().all(|other| other == site));
        let [is_jitter, is_call] = [FindingKind::SporadicDelay, FindingKind::SlowCall].map(|kind| late.kind == kind);
        // Work between the calls that costs more than the calls do is another matter.
        let is_cheaper = || !has_more_work || late.costs <= self.costs;
        match self.kind {
            FindingKind::SmallMessages
            | FindingKind::WrongOrder
            | FindingKind::Polling
            | FindingKind::CollectiveByHand => is_here() && (is_call || is_jitter || is_cheaper()),
            // An access or an epoch that takes one rank longer keeps the others waiting in theirs.
            FindingKind::SmallEpochs => {
                late.sites.iter().all(|site| self.sites.contains(site)) && (is_call || is_jitter || is_cheaper())
            }
            FindingKind::SmallCollectives | FindingKind::MadeAgain => is_here() && (is_call || is_jitter),
            FindingKind::SlowReceiver => is_here() && is_call,
            FindingKind::Leak | FindingKind::Untaken => {
                is_call && late.sites.iter().all(|other| self.sites.contains(other))
            }
            FindingKind::NeedlessBarrier => is_jitter && late.sites.first() == self.sites.first(),
            _ => false,
        }
    }

    /// True if the finding costs enough to be worth a user's time.
    pub(super) fn is_worth_it(&self, known: &Evidence) -> bool {
        use FindingKind::{
            MadeAgain, NeedlessBarrier, Polling, SmallCollectives, SmallEpochs, SmallMessages, SporadicDelay,
            Unprogressed, WrongOrder,
        };
        let is_of_jitter = matches!(self.kind, SporadicDelay | NeedlessBarrier);
        // The scheduler makes ranks late, but adds no calls; it turns a message from each rank into a long wait.
        let is_of_calls = matches!(
            self.kind,
            SmallMessages | SmallCollectives | SmallEpochs | MadeAgain | Polling | WrongOrder | Unprogressed
        );
        // Objects that are left behind are worth it whatever they cost: there is an end to them.
        let is_left = matches!(self.kind, FindingKind::Leak);
        self.costs.is_none()
            || is_left
            || self.worth() >= least_share(is_of_jitter || known.lacks_cores() && !is_of_calls) * known.wall()
    }

    /// All its sentences but the advice.
    pub fn text(&self) -> String {
        if self.detail.is_empty() { self.headline.clone() } else { format!("{} {}", self.headline, self.detail) }
    }

    /// The command that shows the figures, without the run's folder.
    pub fn command(&self) -> &'static str {
        match self.section {
            // Which ranks waited for a core is a matter of ranks, on whichever host.
            "hosts" if self.kind == FindingKind::NotRunning => "report --by rank",
            "ranks" => "report --by rank",
            "hosts" => "report --by host",
            "functions" if !self.sites.is_empty() => "report --by site",
            "functions" => "report",
            "sites" => "report --by site",
            "run" => "hang",
            analysis => analysis,
        }
    }
}

/// The least share of the run that a finding must cost; it is larger if the machine alone may cost a few percent.
pub fn least_share(is_of_machine: bool) -> f64 {
    if is_of_machine { LEAST_SHARE_OF_JITTER.get() } else { LEAST_SHARE_OF_RUN.get() }
}
