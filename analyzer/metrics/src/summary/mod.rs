//! The conclusions about a run: what costs time, who or what causes it, and what to try next.
//!
//! In: the results of the analyses of a run. Out: [`Finding`]s, those about the run as a whole first, then by the time that they cost.
//! Delays by the machine come first unless something else costs more.
//! A finding's saving is what the run would be shorter by without its cause, by a replay. Where none can tell, its cost is the mean rank's: if
//! ranks wait for 8 s in all, and there are four of them, it is 2 s at most. No time is charged twice: the costs of the program's findings add up
//! to no more than the mean rank's time in MPI, apart from the time between polls, and savings are those beside the findings before.

mod aborted;
mod activity_places;
mod activity_sums;
mod by_hand;
mod call_findings;
mod calls_behind;
mod charging;
mod data_in_pieces;
mod drift;
mod eager_limit;
mod evidence;
mod file_advice;
mod file_time;
mod finding;
mod finding_rows;
mod idle_threads;
mod kernel_time;
mod kinds;
mod late_accesses;
mod late_changes;
mod late_findings;
mod late_ranks;
mod late_reason;
mod late_receivers;
mod lateness;
mod leaks;
pub mod limits;
mod lock_contention;
mod machine;
mod made_again;
mod naps;
mod needless_barrier;
mod nothing;
mod passive_targets;
mod poll_waits;
mod polling;
mod progress;
pub mod rules;
mod sampled_work;
mod savings;
mod serving;
mod slow_calls;
mod slow_host;
mod slow_receivers;
mod small_collectives;
mod small_epochs;
mod small_messages;
mod sockets;
mod stored_sizes;
mod there_and_back;
mod threads_together;
mod transfer;
mod uneven_regions;
mod uneven_totals;
mod unknown_delays;
mod unseen_ranks;
mod untaken;
mod used_sites;
mod wait_advice;
mod whole;
mod words;
mod wrong_order;

use crate::run_end::RunEnd;
use crate::teams;
use finding::LEAST_SHARE_OF_RUN;
use lateness::LateContext;
use limits::limits;
use model::Rank;
use serving::{ServingRanks, serving_ranks};
use used_sites::{UsedSite, used_sites};

pub use evidence::{Answers, Evidence};
pub use finding::{Finding, Saving};
pub use finding_rows::{FindingRow, finding_table};
pub use kinds::FindingKind;
pub use nothing::nothing;

limits! {
    /// If time in MPI takes this share of the run, it is worth a look even if no cause stands out.
    MUCH_IN_MPI = 0.1, Least, "of the run", Convention;
    /// In shorter runs one interruption by the system, or the first message between two ranks, takes a share that would be worth a look.
    SHORTEST_RUN = 0.01, Least, "s", Convention;
    /// Ranks that cost less than this share of what delays of all ranks cost may be late because of these.
    LEAST_OF_DELAYS = 0.2, Least, "of the delays", Convention;
}

/// Maximum number of findings on a first screen.
const MOST: usize = 6;

/// All findings on a run, the most important first.
pub fn findings(known: &Evidence) -> Vec<Finding> {
    let (sites, serving) = (used_sites(known), serving_ranks(known));
    let refused = leaks::refused(known);
    let mut all = about_the_run(known, refused.as_ref());
    all.extend(about_the_program(known, &sites, &serving, refused.as_ref()));
    leave_out_cheap(known, &mut all);
    charging::charge_once(known, &mut all);
    leave_out_cheap(known, &mut all);
    savings::replay(known, &mut all);
    // What is left out explains no time.
    leave_out_cheap(known, &mut all);
    all.extend(unseen_ranks::finding(known, &sites, &all));
    all.extend(transfer::finding(known, &sites, &all));
    all.extend(serving.finding());
    charging::charge_once(known, &mut all);
    leave_out_cheap(known, &mut all);
    explain_delays(known, &sites, &mut all);
    sort(&mut all);
    all.truncate(MOST);
    unknown_delays::say(known, &mut all);
    words::say_costs(known, &mut all);
    all
}

/// Findings on the end of the run, and on ranks that were kept from their cores.
fn about_the_run(known: &Evidence, refused: Option<&Finding>) -> Vec<Finding> {
    let reason = aborted::finding(known);
    let mut all: Vec<Finding> = Vec::new();
    if reason.is_none() || RunEnd::of(known.run).is_some_and(|end| end.is_from_outside()) {
        all.extend(whole::ended(known));
    }
    match reason {
        Some(reason) => all.push(reason),
        None => all.extend(whole::hung(known).or_else(|| whole::finding(known))),
    }
    if all.iter().all(|finding| finding.kind != FindingKind::Stuck) {
        all.extend(whole::stuck(known));
    }
    all.extend(refused.cloned());
    all.extend(known.delays().cloned());
    all
}

/// Findings on late ranks and slow hosts, then on calls.
fn about_the_program(
    known: &Evidence,
    sites: &[UsedSite],
    serving: &ServingRanks,
    refused: Option<&Finding>,
) -> Vec<Finding> {
    let together = threads_together::finding(known);
    let mut of_calls = call_findings::findings(known, sites, refused);
    of_calls.retain(|finding| !together.as_ref().is_some_and(|together| threads_together::explains(together, finding)));
    let mut late = Vec::new();
    if let Some(walk) = known.walk {
        let origins = serving.without(&walk.origins);
        let context = LateContext::of(known, walk);
        late = late_findings::findings(&context, &origins, &of_calls);
    }
    let slow_host = slow_host::finding(known);
    // The slow host explains why its ranks are late.
    if let Some(slow) = &slow_host {
        late.retain(|finding| finding.kind != FindingKind::LateRank || !slow.has_ranks_of(finding));
    }
    let mut all = Vec::new();
    let polls = || {
        of_calls.iter().any(|finding| finding.kind == FindingKind::Polling)
            || known.doubt(|| polling::doubt(known, sites), LEAST_SHARE_OF_RUN.get()).is_some()
    };
    // Totals do not tell computation from pauses between polls.
    let is_nobody_late = late.iter().all(|finding| is_small_beside_delays(known, finding));
    if is_nobody_late && slow_host.is_none() && serving.is_empty() && !polls() {
        all.extend(uneven_totals::finding(known));
    }
    all.extend(slow_host);
    all.extend(sockets::finding(known, sites));
    all.extend(late);
    all.extend(of_calls);
    all.extend(together);
    let leaders = teams::leaders(known.run);
    all.extend(idle_threads::finding(known, &leaders));
    all.extend(uneven_regions::findings(known, &leaders));
    all.extend(kernel_time::finding(known));
    all.extend(file_time::finding(known));
    all
}

fn leave_out_cheap(known: &Evidence, all: &mut Vec<Finding>) {
    if is_too_short(known) {
        return all.retain(|finding| finding.kind.is_of_the_run());
    }
    let is_worth_it = |finding: &Finding| finding.kind == FindingKind::Sockets || finding.is_worth_it(known);
    all.retain(|finding| finding.kind.is_about_the_run() || is_worth_it(finding));
    all.retain(|finding| !is_small_beside_delays(known, finding));
}

/// True if shares of the run's time say nothing. A part of a longer run was chosen for its own sake.
fn is_too_short(known: &Evidence) -> bool {
    known.run.asked().map(Rank::unselected).fold(0.0, f64::max) < SHORTEST_RUN.get()
}

/// True if delays of all ranks may cause all of the lateness.
fn is_small_beside_delays(known: &Evidence, finding: &Finding) -> bool {
    let least = LEAST_OF_DELAYS.get() * known.delays().and_then(|delays| delays.costs).unwrap_or(0.0);
    finding.kind.is_of_lateness() && finding.costs.is_some_and(|costs| costs < least)
}

fn explain_delays(known: &Evidence, sites: &[UsedSite], all: &mut [Finding]) {
    let has_others = all.iter().any(|finding| !finding.kind.is_about_the_run());
    for finding in all.iter_mut().filter(|finding| finding.kind.is_of_the_machine()) {
        machine::explain(finding, known, sites, has_others);
    }
}

fn sort(all: &mut [Finding]) {
    let most = all.iter().map(Finding::worth).fold(0.0, f64::max);
    let rank = |finding: &Finding| {
        let is_small = finding.kind.is_of_the_machine() && finding.costs.is_some() && finding.worth() < most;
        if finding.kind.is_about_the_run() && !is_small { finding.kind as usize } else { usize::MAX }
    };
    all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.worth().total_cmp(&a.worth())));
}
