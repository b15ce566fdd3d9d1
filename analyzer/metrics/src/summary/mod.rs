//! The conclusions about a run: what costs time, who or what causes it, and what to try next.
//!
//! In: the results of the analyses of a run. Out: [`Finding`]s, those about the run as a whole first, then by the time that they cost.
//! Delays by the machine come first unless something else costs much more.
//! A cost is the mean rank's: if ranks wait for 8 s in all, and there are four of them, the run could be 2 s shorter at most. No time is
//! charged twice: the costs of the program's findings add up to no more than the mean rank's time in MPI, apart from the time between polls.

mod aborted;
mod by_hand;
mod charging;
mod eager_limit;
mod file_advice;
mod finding_rows;
mod late_findings;
mod late_ranks;
mod late_receivers;
mod lateness;
mod lock_contention;
mod machine;
mod made_again;
mod needless_barrier;
mod overlap;
mod own_times;
mod polling;
mod progress;
mod sampled_work;
mod serving;
mod slow_calls;
mod slow_host;
mod slow_receivers;
mod small_collectives;
mod small_messages;
mod transfer;
mod uneven_totals;
mod used_sites;
mod whole;
mod wrong_order;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::pop::Efficiency;
use crate::overlap::GatheredRequests;
use crate::scheduling::{by_host, most_shared, scheduled};
use model::engine::EngineAccount;
use model::matching::Account;
use model::shared_walk::SharedWalk;
use model::{Rank, Run};
use serving::serving_ranks;
use tables::{Value, WorldRank};
use used_sites::{UsedSite, used_sites};

pub use finding_rows::{FindingRow, finding_table};

/// A cheaper finding, as a share of the mean rank's wall time, is not worth a user's time.
const LEAST_SHARE: f64 = 0.02;
/// Least share of delays that hit another rank each time: in programs with even work, a few percent come from the machine.
const LEAST_SHARE_OF_JITTER: f64 = 0.05;
/// If time in MPI takes this share of the run, it is worth a look even if no cause stands out.
const MUCH_IN_MPI: f64 = 0.1;
/// Delays of ranks qualify all other findings, but one that costs this many times as much comes first.
const MUCH_MORE: f64 = 2.0;
/// Ranks that cost less than this share of what delays of all ranks cost may be late because of these.
const LEAST_OF_DELAYS: f64 = 0.2;
/// Maximum number of findings on a first screen.
const MOST: usize = 6;

/// The results of the analyses of a run. Without single calls only the run is known.
pub struct Evidence<'a> {
    pub run: &'a Run,
    /// The run's matched calls.
    pub account: Option<&'a Account>,
    /// Habits, origins of waiting and the critical path.
    pub walk: Option<&'a SharedWalk>,
    pub efficiency: Option<&'a Efficiency>,
    /// The activity of each rank's progress engine, by thread.
    pub engines: &'a [Vec<EngineAccount>],
    pub requests: Option<&'a GatheredRequests>,
    /// The verdict on a run that was hanging when it ended, and each reason.
    pub hung: Option<&'a [String]>,
    /// Answers about the ranks' cores, once they are known.
    pub cores: Cores,
}

/// Answers about the machine that many rules need. Each is computed once.
#[derive(Default)]
pub struct Cores {
    are_shared: OnceCell<bool>,
    are_lacking: OnceCell<bool>,
}

impl Evidence<'_> {
    /// Number of ranks that the findings are about.
    fn ranks(&self) -> usize {
        self.run.asked().count().max(1)
    }

    /// The mean rank's wall time, seconds.
    pub fn wall(&self) -> f64 {
        self.run.asked().map(Rank::wall).sum::<f64>() / self.ranks() as f64
    }

    /// The mean rank's time in MPI, seconds: nothing that the program does can save more.
    fn in_mpi(&self) -> f64 {
        let of_rank = |rank: &Rank| rank.time_in_mpi() / rank.thread_count().max(1) as f64;
        self.run.asked().map(of_rank).sum::<f64>() / self.ranks() as f64
    }

    /// True if ranks outnumber the cores of a host.
    fn shares_cores(&self) -> bool {
        *self.cores.are_shared.get_or_init(|| {
            by_host(self.run)
                .iter()
                .any(|(host, ranks)| most_shared(host, ranks).is_some_and(|shared| shared.ranks_a_core() > 1.0))
        })
    }

    /// True if ranks outnumber the cores of a host, or are kept from them: then a few percent of lateness are the scheduler's.
    fn lacks_cores(&self) -> bool {
        *self.cores.are_lacking.get_or_init(|| self.shares_cores() || machine::finding(self).is_some())
    }

    /// The share of the mean rank's time in MPI in which the scheduler let it run.
    fn running_in_mpi(&self) -> f64 {
        let shares = self.run.asked().map(|rank| scheduled(rank).map_or(1.0, |scheduled| scheduled.running_in_mpi()));
        shares.sum::<f64>() / self.ranks() as f64
    }

    /// `0.90 s a rank, 28.1 % of the run`, and no more than the time in MPI.
    fn cost(&self, seconds: f64) -> String {
        self.share(seconds.min(self.in_mpi()))
    }

    /// `0.90 s a rank, 28.1 % of the run`.
    fn share(&self, seconds: f64) -> String {
        let share = 100.0 * seconds / self.wall().max(f64::MIN_POSITIVE);
        format!("{} a rank, {share:.1} % of the run", Value::Seconds(seconds))
    }

    /// The mean rank's part of a time of all ranks, from nanoseconds to seconds.
    fn mean(&self, nanoseconds: i64) -> f64 {
        crate::totals::seconds(nanoseconds) / self.ranks() as f64
    }
}

macro_rules! finding_kinds {
    ($($(#[$meaning:meta])* $kind:ident $key:literal;)*) => {
        /// The rule that made a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum FindingKind { $($(#[$meaning])* $kind),* }

        impl FindingKind {
            /// The name for programs.
            pub fn key(self) -> &'static str {
                match self { $(FindingKind::$kind => $key),* }
            }
        }
    };
}

finding_kinds! {
    /// The run goes on, or a part of it is missing.
    Unfinished "unfinished";
    /// A rank ended the run by MPI_Abort, or ended on its own.
    Aborted "aborted";
    /// Ranks are in calls that have not returned.
    Stuck "stuck";
    /// Ranks outnumber the cores that they may use.
    Oversubscribed "oversubscribed";
    /// Other processes of a host keep its cores busy.
    BusyHost "busy_host";
    /// Ranks are kept from running for another reason.
    NotRunning "not_running";
    /// All ranks of a host compute longer than those of the others.
    SlowHost "slow_host";
    /// A rank always has more to do than others.
    LateRank "late_rank";
    /// A rank works while all others wait.
    SerialWork "serial_work";
    /// Now and then a rank takes much longer than usual.
    SporadicDelay "sporadic_delay";
    /// Ranks work one after another.
    Chain "chain";
    /// An MPI call that one rank makes keeps others waiting.
    SlowCall "slow_call";
    /// Ranks wait for the lock of a window that another rank has.
    LockContention "lock_contention";
    /// A send waits until the receiver has posted its receive.
    LateReceiver "late_receiver";
    /// Messages are smaller than what libraries can buffer, and wait for their receive.
    EagerLimit "eager_limit";
    /// Sends wait because their receiver takes messages more slowly than they come.
    SlowReceiver "slow_receiver";
    /// Messages are received in another order than they come.
    WrongOrder "wrong_order";
    /// Many small messages go to the same rank in a row.
    SmallMessages "small_messages";
    /// Many small collective calls stand in a row.
    SmallCollectives "small_collectives";
    /// Communicators, windows or files are made again and again.
    MadeAgain "made_again";
    /// Tests find nothing: between small pieces of work, or because the rank does nothing else.
    Polling "polling";
    /// Single messages do what a collective call does.
    CollectiveByHand "collective_by_hand";
    /// A barrier costs every rank its share.
    NeedlessBarrier "needless_barrier";
    /// Requests are pending and nothing moves them.
    Unprogressed "unprogressed";
    /// Requests that were waited for later, without progress meanwhile.
    NoOverlap "no_overlap";
    /// MPI calls take time that no late rank explains.
    Transfer "transfer";
    /// A rank waits for messages nearly all the time, and no rank waits for it.
    Serving "serving";
}

impl FindingKind {
    /// True if the finding qualifies all others, and so comes before them whatever they cost, in the order of the kinds.
    pub fn is_about_the_run(self) -> bool {
        self <= FindingKind::NotRunning
    }

    /// True if the finding is that ranks came late.
    fn is_of_lateness(self) -> bool {
        use FindingKind::{EagerLimit, LateReceiver, SlowCall};
        self.is_of_work() || matches!(self, EagerLimit | LateReceiver | SlowCall)
    }

    /// True if the finding is that ranks were ready to run and did not.
    pub fn is_of_the_machine(self) -> bool {
        matches!(self, FindingKind::Oversubscribed | FindingKind::BusyHost | FindingKind::NotRunning)
    }

    /// True if the sites that the finding names are the calls around the work, and not its cause.
    fn is_of_work(self) -> bool {
        use FindingKind::{Chain, LateRank, SerialWork, SporadicDelay};
        matches!(self, LateRank | SerialWork | SporadicDelay | Chain)
    }
}

/// A conclusion, with its cost and its cure.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// Maximum cost of the finding, in seconds of the mean rank's time; `None` if unknown.
    pub costs: Option<f64>,
    /// The cost that the headline names, if that is only a part of `costs`.
    said: Option<f64>,
    /// The section of the page that shows the figures.
    pub section: &'static str,
    /// One sentence: who, where, how long.
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
    fn new(kind: FindingKind, section: &'static str, headline: impl Into<String>) -> Finding {
        let (headline, detail) = (headline.into(), String::new());
        let (costs, said, next, is_off_processor) = (None, None, None, false);
        let (ranks, sites) = (Vec::new(), Vec::new());
        Finding { kind, costs, said, section, headline, detail, next, ranks, sites, is_off_processor }
    }

    fn costs(self, seconds: f64) -> Finding {
        Finding { costs: Some(seconds), ..self }
    }

    fn said(self, seconds: f64) -> Finding {
        Finding { said: Some(seconds), ..self }
    }

    fn detail(self, detail: impl Into<String>) -> Finding {
        Finding { detail: detail.into(), ..self }
    }

    fn next(self, next: impl Into<String>) -> Finding {
        Finding { next: Some(next.into()), ..self }
    }

    fn ranks(self, ranks: Vec<WorldRank>) -> Finding {
        Finding { ranks, ..self }
    }

    fn sites(self, sites: Vec<String>) -> Finding {
        Finding { sites, ..self }
    }

    /// True if the other finding names only ranks that this one names, too.
    fn has_ranks_of(&self, other: &Finding) -> bool {
        let own: BTreeSet<WorldRank> = self.ranks.iter().copied().collect();
        other.ranks.iter().all(|rank| own.contains(rank))
    }

    /// Adds another finding of the same cause to this one.
    fn join(&mut self, other: Finding) {
        self.add_costs(other.costs.unwrap_or(0.0));
        self.sites.extend(other.sites);
    }

    /// Adds a sentence.
    fn add(&mut self, sentence: &str) {
        if !self.detail.is_empty() {
            self.detail.push(' ');
        }
        self.detail.push_str(sentence);
    }

    /// True if lateness at this finding's calls is a part of its cost. With `has_more_work`, the late ranks compute longer than others.
    fn explains(&self, late: &Finding, has_more_work: bool) -> bool {
        let is_here = || self.sites.first().is_some_and(|site| late.sites.iter().all(|other| other == site));
        let [is_jitter, is_call] = [FindingKind::SporadicDelay, FindingKind::SlowCall].map(|kind| late.kind == kind);
        // Work between the calls that costs more than the calls do is another matter.
        let is_cheaper = || !has_more_work || late.costs <= self.costs;
        match self.kind {
            FindingKind::SmallMessages
            | FindingKind::WrongOrder
            | FindingKind::Polling
            | FindingKind::CollectiveByHand => is_here() && (is_call || is_jitter || is_cheaper()),
            FindingKind::SmallCollectives | FindingKind::MadeAgain => is_here() && (is_call || is_jitter),
            FindingKind::SlowReceiver => is_here() && is_call,
            FindingKind::NeedlessBarrier => is_jitter && late.sites.first() == self.sites.first(),
            _ => false,
        }
    }

    /// True if the finding costs enough to be worth a user's time.
    fn is_worth_it(&self, wall: f64, lacks_cores: bool) -> bool {
        use FindingKind::{
            MadeAgain, NeedlessBarrier, Polling, SmallCollectives, SmallMessages, SporadicDelay, Unprogressed,
            WrongOrder,
        };
        let is_of_jitter = matches!(self.kind, SporadicDelay | NeedlessBarrier);
        // The scheduler makes ranks late, but adds no calls; it turns a message from each rank into a long wait.
        let is_of_calls =
            matches!(self.kind, SmallMessages | SmallCollectives | MadeAgain | Polling | WrongOrder | Unprogressed);
        let share = least_share(is_of_jitter || lacks_cores && !is_of_calls);
        self.costs.is_none_or(|costs| costs >= share * wall)
    }

    /// All its sentences but the advice.
    pub fn text(&self) -> String {
        if self.detail.is_empty() { self.headline.clone() } else { format!("{} {}", self.headline, self.detail) }
    }

    /// The command that shows the figures, without the run's folder.
    pub fn command(&self) -> &'static str {
        match self.section {
            "ranks" => "report --by rank",
            "hosts" => "report --by host",
            "functions" => "report",
            "sites" => "report --by site",
            "run" => "hang",
            analysis => analysis,
        }
    }
}

/// The least share of the run that a finding must cost; it is larger if the machine alone may cost a few percent.
fn least_share(is_of_machine: bool) -> f64 {
    if is_of_machine { LEAST_SHARE_OF_JITTER } else { LEAST_SHARE }
}

/// The findings on how calls are used. Waiting that they cause is a part of their cost.
fn of_calls(known: &Evidence, sites: &[UsedSite]) -> Vec<Finding> {
    let (wall, lacks_cores) = (known.wall(), known.lacks_cores());
    let is_worth_it = |finding: &Finding| finding.is_worth_it(wall, lacks_cores);
    let rules = [by_hand::finding, small_collectives::finding, polling::finding];
    let of_site = |rule: fn(&UsedSite) -> Option<Finding>| sites.iter().filter_map(rule);
    let passed_over: Vec<Finding> = sites.iter().filter_map(|used| wrong_order::passed_over(used, sites)).collect();
    let mut findings: Vec<Finding> = of_site(slow_receivers::finding).collect();
    findings.extend(wrong_order::waits(known));
    findings.extend(passed_over.iter().cloned());
    // The search for each message is no price of sending it.
    let is_searched =
        |used: &UsedSite| passed_over.iter().any(|other| is_worth_it(other) && other.sites == used.sites());
    let by_rule = |used: &UsedSite| {
        let finding = rules.iter().find_map(|rule| rule(used)).or_else(|| made_again::finding(used, sites));
        finding.filter(|finding| finding.kind != FindingKind::CollectiveByHand || !is_searched(used))
    };
    let (found, others): (Vec<_>, Vec<_>) =
        sites.iter().map(|used| (used, by_rule(used))).partition(|(_, found)| found.is_some());
    findings.extend(found.into_iter().filter_map(|(_, found)| found));
    findings.retain(is_worth_it);
    let small: Vec<Finding> =
        others.iter().filter_map(|(used, _)| small_messages::finding(used, sites, &findings)).collect();
    findings.extend(small);
    findings.extend(needless_barrier::findings(known, sites));
    findings.extend(progress::finding(known, sites));
    findings.retain(is_worth_it);
    findings
}

/// The sentences for a run without findings.
pub fn nothing(known: &Evidence) -> String {
    let least = least_share(known.lacks_cores());
    let in_doubt = polling::doubt(known, &used_sites(known), least * known.wall());
    let mut text = match known.account {
        Some(_) if in_doubt.is_some() => in_doubt.unwrap_or_default(),
        Some(_) => {
            let least = 100.0 * least;
            format!("No single cause stands out: no rank keeps others waiting for more than {least:.0} % of the run.")
        }
        None => "No rank stands out by its totals. Who waits for whom is unknown, since the run has no single calls."
            .to_string(),
    };
    let share = known.in_mpi() / known.wall().max(f64::MIN_POSITIVE);
    if share >= MUCH_IN_MPI {
        text += &format!(
            " `overhear report --by site` shows where the ranks spend {:.1} % of the run in MPI.",
            100.0 * share
        );
    }
    text
}

/// All findings on a run, the most important first.
pub fn findings(known: &Evidence) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let hung = || whole::hung(known).or_else(|| whole::finding(known));
    all.extend(aborted::finding(known).or_else(hung));
    if !all.iter().any(|finding| finding.kind == FindingKind::Stuck) {
        all.extend(whole::stuck(known));
    }
    let machine = machine::finding(known);
    let is_scheduled = machine.is_some();
    all.extend(machine);
    let sites = used_sites(known);
    let of_calls = of_calls(known, &sites);
    let serving = serving_ranks(known);
    let origins = known.walk.map(|walk| serving.without(&walk.origins));
    let mut late = match &origins {
        Some(origins) => late_findings::findings(known, origins, &of_calls),
        None => Vec::new(),
    };
    let slow_host = slow_host::finding(known);
    // The slow host explains why its ranks are late.
    if let Some(slow) = &slow_host {
        late.retain(|finding| finding.kind != FindingKind::LateRank || !slow.has_ranks_of(finding));
    }
    let polls = of_calls.iter().any(|finding| finding.kind == FindingKind::Polling)
        || polling::doubt(known, &sites, LEAST_SHARE * known.wall()).is_some();
    // Totals do not tell computation from time in which a rank was ready and did not run, or paused between polls.
    if late.is_empty() && slow_host.is_none() && !is_scheduled && serving.is_empty() && !polls {
        all.extend(uneven_totals::finding(known));
    }
    all.extend(slow_host);
    all.extend(late);
    all.extend(of_calls);
    if !all.iter().any(|finding| finding.kind == FindingKind::Unprogressed) {
        all.extend(overlap::finding(known, &sites));
    }
    all.extend(transfer::finding(known, &sites, &all));
    all.extend(serving.finding());
    let (wall, lacks_cores) = (known.wall(), known.lacks_cores());
    charging::charge_once(known, &mut all);
    all.retain(|finding| finding.kind.is_about_the_run() || finding.is_worth_it(wall, lacks_cores));
    let delays = all.iter().filter(|finding| finding.kind.is_of_the_machine()).filter_map(|finding| finding.costs);
    let least = LEAST_OF_DELAYS * delays.fold(0.0, f64::max);
    all.retain(|finding| !finding.kind.is_of_lateness() || finding.costs.is_none_or(|costs| costs >= least));
    let has_others = all.iter().any(|finding| !finding.kind.is_about_the_run());
    let most = all.iter().filter_map(|finding| finding.costs).fold(0.0, f64::max);
    for finding in all.iter_mut().filter(|finding| finding.kind.is_of_the_machine()) {
        machine::explain(finding, known, &sites, has_others);
    }
    let comes_first = |finding: &Finding| {
        let is_small = finding.kind.is_of_the_machine() && finding.costs.is_some_and(|costs| MUCH_MORE * costs < most);
        finding.kind.is_about_the_run() && !is_small
    };
    all.sort_by(|a, b| {
        let rank = |finding: &Finding| if comes_first(finding) { finding.kind as usize } else { usize::MAX };
        rank(a).cmp(&rank(b)).then(b.costs.unwrap_or(0.0).total_cmp(&a.costs.unwrap_or(0.0)))
    });
    all.truncate(MOST);
    all
}
