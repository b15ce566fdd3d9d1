//! A conclusion about a run: its kind, cost, sentences and cure.

use super::limits::limits;
use std::collections::BTreeSet;

use super::Evidence;
use model::matching::scenario::RunChange;
use tables::WorldRank;

limits! {
    /// A cheaper finding, as a share of the mean rank's wall time, is not worth a user's time.
    LEAST_SHARE_OF_RUN = 0.02, Least, "of the run", Convention;
    /// Least share of delays that hit another rank each time: in programs with even work, a few percent come from the machine.
    LEAST_SHARE_OF_JITTER = 0.05, Least, "of the run", Measured;
}

macro_rules! finding_kinds {
    ($($(#[doc = $meaning:literal])+ $kind:ident $key:literal $about:ident;)*) => {
        /// The rule that made a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum FindingKind { $($(#[doc = $meaning])+ $kind),* }

        impl FindingKind {
            pub const ALL: &[FindingKind] = &[$(FindingKind::$kind),*];

            /// The name for programs.
            pub fn key(self) -> &'static str {
                match self { $(FindingKind::$kind => $key),* }
            }

            /// The finding in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(FindingKind::$kind => concat!($($meaning),+).trim_ascii()),* }
            }

            pub fn about(self) -> About {
                match self { $(FindingKind::$kind => About::$about),* }
            }
        }
    };
}

/// The subject of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum About {
    /// The run's progress and end.
    Run,
    /// Ranks that were ready to run and did not.
    Machine,
    /// Late ranks: the sites that the finding names are the calls around their work, and not its cause.
    Work,
    /// Ranks that are late by calls.
    LateCalls,
    /// The calls at the sites that the finding names.
    Calls,
    /// Time of MPI, of a host, or of ranks as a whole.
    Rest,
}

finding_kinds! {
    /// MPI refused to make more of the objects that the program does not free.
    Refused "refused" Run;
    /// The run did not end well: a signal, a status, or the end of the launcher.
    Ended "ended" Run;
    /// The run goes on, or a part of it is missing.
    Unfinished "unfinished" Run;
    /// A rank ended the run by MPI_Abort, or ended on its own.
    Aborted "aborted" Run;
    /// Ranks are in calls that have not returned.
    Stuck "stuck" Run;
    /// Ranks, or their threads, outnumber the cores that they may use.
    Oversubscribed "oversubscribed" Machine;
    /// Other processes of a host keep its cores busy.
    BusyHost "busy_host" Machine;
    /// Ranks are kept from running for another reason.
    NotRunning "not_running" Machine;
    /// All ranks of a host compute longer than those of the others.
    SlowHost "slow_host" Rest;
    /// A rank always has more to do than others.
    LateRank "late_rank" Work;
    /// A rank has more to do than others by its totals: for whom others wait is unknown.
    UnevenTotals "late_rank" Work;
    /// A rank works while all others wait.
    SerialWork "serial_work" Work;
    /// Now and then a rank takes much longer than usual.
    SporadicDelay "sporadic_delay" Work;
    /// Ranks work one after another.
    Chain "chain" Work;
    /// An MPI call that one rank makes keeps others waiting.
    SlowCall "slow_call" LateCalls;
    /// Ranks wait for the lock of a window that another rank has.
    LockContention "lock_contention" Calls;
    /// A send waits until the receiver has posted its receive.
    LateReceiver "late_receiver" LateCalls;
    /// Messages are smaller than what libraries can buffer, and wait for their receive.
    EagerLimit "eager_limit" LateCalls;
    /// Sends wait because their receiver takes messages more slowly than they come.
    SlowReceiver "slow_receiver" Calls;
    /// Messages are received in another order than they come.
    WrongOrder "wrong_order" Calls;
    /// Messages lie at their receiver, ever more of them.
    Untaken "untaken" Calls;
    /// Many small messages go to the same rank in a row.
    SmallMessages "small_messages" Calls;
    /// A rank gives others their work in small pieces, and they wait for each.
    SmallJobs "small_jobs" Calls;
    /// Many small collective calls stand in a row.
    SmallCollectives "small_collectives" Calls;
    /// Threads of a rank hinder each other in MPI.
    ThreadsTogether "threads_together" Calls;
    /// Calls take far longer than to copy their bytes, and datatypes have gaps.
    DataInPieces "data_in_pieces" Calls;
    /// An epoch of a window has few small accesses, and many stand in a row.
    SmallEpochs "small_epochs" Calls;
    /// Communicators, windows or files are made again and again.
    MadeAgain "made_again" Calls;
    /// Objects are made and never freed, or requests begun and never completed.
    Leak "leak" Calls;
    /// Calls at one line take longer and longer.
    Drift "drift" Calls;
    /// Tests find nothing: between small pieces of work, or because the rank does nothing else.
    Polling "polling" Calls;
    /// Single messages do what a collective call does.
    CollectiveByHand "collective_by_hand" Calls;
    /// A barrier costs every rank its share.
    NeedlessBarrier "needless_barrier" Calls;
    /// Requests are pending and nothing moves them.
    Unprogressed "unprogressed" Calls;
    /// Requests that were waited for later, without progress meanwhile.
    NoOverlap "no_overlap" Rest;
    /// Ranks of one host send to each other through sockets.
    Sockets "sockets" Rest;
    /// MPI calls take time that no late rank explains.
    Transfer "transfer" Rest;
    /// Calls are with ranks that have no records here.
    UnseenRanks "unseen_ranks" Rest;
    /// A rank waits for messages nearly all the time, and no rank waits for it.
    Serving "serving" Rest;
}

impl FindingKind {
    /// True if the finding qualifies all others, and so comes before them whatever they cost, in the order of the kinds.
    pub fn is_about_the_run(self) -> bool {
        self.about() <= About::Machine
    }

    /// True if the finding is about how far the run came, and not about its time.
    pub(super) fn is_of_the_run(self) -> bool {
        self.about() == About::Run
    }

    /// True if the finding is that ranks came late.
    pub(super) fn is_of_lateness(self) -> bool {
        matches!(self.about(), About::Work | About::LateCalls)
    }

    /// True if the finding is that ranks were ready to run and did not.
    pub fn is_of_the_machine(self) -> bool {
        self.about() == About::Machine
    }

    /// True if the calls at the sites that the finding names are its cause.
    pub fn is_of_calls(self) -> bool {
        matches!(self.about(), About::Calls | About::LateCalls)
    }

    /// True if the sites that the finding names are the calls around the work, and not its cause.
    pub(super) fn is_of_work(self) -> bool {
        self.about() == About::Work
    }
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

    /// Adds a sentence.
    pub(super) fn add(&mut self, sentence: &str) {
        if !self.detail.is_empty() {
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
            // The others wait for its answers, whatever it does before each.
            FindingKind::SmallJobs => late.ranks == self.ranks,
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
