//! The rules: of each kind of finding its cure, the program that shows it, and the limits at which it is told.
//!
//! `overhear explain` and the guide's page of rules print them, and `cargo lab sensitivity` tries each limit at half, at twice and taken out.

use super::finding::FindingKind;
use super::limits::Limit;
use super::{
    by_hand, data_in_pieces, eager_limit, finding, late_findings, late_ranks, late_reason, lateness, leaks, machine,
    made_again, naps, needless_barrier, overlap, own_times, poll_waits, polling, progress, sampled_work, serving,
    slow_host, slow_receivers, small_collectives, small_epochs, small_jobs, small_messages, sockets, threads_together,
    transfer, uneven_totals, used_sites, whole, wrong_order,
};

/// A rule, for its readers.
pub struct RuleSpec {
    pub kind: FindingKind,
    /// The cure in general; each finding has its own words.
    pub cure: &'static str,
    /// The planted program that shows it, in examples/programs/diagnosis, if one does.
    pub example: Option<&'static str>,
    /// The limits of its files.
    pub limits: &'static [Limits],
}

type Limits = &'static [&'static Limit];

const fn rule(kind: FindingKind, example: &'static str, limits: &'static [Limits], cure: &'static str) -> RuleSpec {
    RuleSpec { kind, cure, example: if example.is_empty() { None } else { Some(example) }, limits }
}

use FindingKind::*;

pub static RULES: &[RuleSpec] = &[
    rule(Refused, "", &[], "Free them after their last use, or make them once and keep them."),
    rule(Ended, "", &[], "Look for what ended it; the figures are of what had been done until then."),
    rule(Unfinished, "", &[whole::LIMITS], "Ask again when it is over, or fetch the files that are missing."),
    rule(Aborted, "aborted", &[], "Look at the named call for the reason."),
    rule(Stuck, "", &[], "See for which rank they wait, and what that one has not done: `overhear hang`."),
    rule(Oversubscribed, "", &[], "Run as many ranks as there are cores, or bind each to a core of its own."),
    rule(BusyHost, "", &[], "Ask again while nothing else runs there."),
    rule(NotRunning, "", &[machine::LIMITS], "Bind each rank to a core of its own."),
    rule(SlowHost, "", &[slow_host::LIMITS], "Compare the host's cores, clock and load with those of the others."),
    rule(
        LateRank,
        "late_rank",
        &[
            sampled_work::LIMITS,
            late_reason::LIMITS,
            lateness::LIMITS,
            late_ranks::LIMITS,
            own_times::LIMITS,
            uneven_totals::LIMITS,
        ],
        "Spread the work more evenly, or cure what slows that rank down.",
    ),
    rule(SerialWork, "serial_work", &[], "Divide that work among all ranks, or let the others go on meanwhile."),
    rule(SporadicDelay, "sporadic_delay", &[], "Look for what interrupts that work, or make each step's work even."),
    rule(
        Chain,
        "chain",
        &[late_findings::LIMITS],
        "Hand on results in smaller pieces, or change the order of the work.",
    ),
    rule(SlowCall, "slow_file", &[], "Let all ranks take part in it, or make it while the others compute."),
    rule(LockContention, "lock_contention", &[], "Hold the lock for the access alone, or share it."),
    rule(LateReceiver, "waiting_sender", &[], "Post the receive before the work that delays it."),
    rule(
        EagerLimit,
        "eager_limit",
        &[eager_limit::LIMITS],
        "Raise the limit to which messages are sent at once, or post the receive earlier.",
    ),
    rule(
        SlowReceiver,
        "slow_receiver",
        &[slow_receivers::LIMITS],
        "Give the receiver less to do, or send fewer and larger messages.",
    ),
    rule(
        WrongOrder,
        "wrong_order",
        &[wrong_order::LIMITS],
        "Take messages as they come: MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Waitany.",
    ),
    rule(Untaken, "unread_log", &[], "Receive them as they come, or send them when they are wanted."),
    rule(
        SmallMessages,
        "small_messages",
        &[small_messages::LIMITS],
        "Collect them in a buffer, and send one message to each rank.",
    ),
    rule(
        SmallJobs,
        "serving",
        &[small_jobs::LIMITS],
        "Hand out larger pieces of work, or the next piece before the last one is done.",
    ),
    rule(
        SmallCollectives,
        "small_collectives",
        &[small_collectives::LIMITS],
        "Combine the values in one array, and make one call.",
    ),
    rule(
        ThreadsTogether,
        "threads_together",
        &[threads_together::LIMITS],
        "Let one thread of each rank make the calls, or give each thread a core of its own.",
    ),
    rule(
        DataInPieces,
        "data_in_pieces",
        &[data_in_pieces::LIMITS],
        "Let what is sent lie side by side, or describe it by longer pieces.",
    ),
    rule(SmallEpochs, "small_epochs", &[small_epochs::LIMITS], "Put all accesses of a row into one epoch."),
    rule(MadeAgain, "made_again", &[made_again::LIMITS], "Make it once, before the loop, and keep it."),
    rule(
        Leak,
        "left_receives",
        &[leaks::LIMITS],
        "Free each after its last use, or make it once and keep it; complete each request.",
    ),
    rule(Drift, "late_wait", &[], "Complete or free what grows meanwhile, as the run goes on."),
    rule(
        Polling,
        "polling",
        &[polling::LIMITS, poll_waits::LIMITS, naps::LIMITS],
        "Poll after larger pieces of work, or wait by a blocking call.",
    ),
    rule(CollectiveByHand, "collective_by_hand", &[by_hand::LIMITS], "Use the collective call."),
    rule(
        NeedlessBarrier,
        "needless_barrier",
        &[needless_barrier::LIMITS],
        "Remove the barrier unless the algorithm needs it.",
    ),
    rule(
        Unprogressed,
        "unprogressed",
        &[progress::LIMITS],
        "Call MPI_Test during the computation, or let a thread of the library move them.",
    ),
    rule(NoOverlap, "", &[overlap::LIMITS], "Call MPI_Test between post and wait."),
    rule(Sockets, "", &[sockets::LIMITS], "See which transport the settings choose: shared memory is faster."),
    rule(Transfer, "transfer", &[transfer::LIMITS], "Send fewer bytes, or begin earlier and compute meanwhile."),
    rule(UnseenRanks, "", &[], "Record the other ranks, too."),
    rule(Serving, "serving", &[serving::LIMITS], "Give it a share of the work, or run fewer ranks."),
];

/// Limits of all rules together.
pub static SHARED: &[Limits] = &[super::LIMITS, finding::LIMITS, used_sites::LIMITS];

/// Every limit, each once.
pub fn limits() -> impl Iterator<Item = &'static Limit> {
    let of_rules = RULES.iter().flat_map(|rule| rule.limits);
    SHARED.iter().chain(of_rules).flat_map(|limits| limits.iter().copied())
}

/// The rule with this key.
pub fn rule_named(key: &str) -> Option<&'static RuleSpec> {
    RULES.iter().find(|rule| rule.kind.key() == key)
}

impl Limit {
    /// `LEAST_ROW, at least 4 calls`.
    pub fn in_words(&self) -> String {
        format!("{}, {} {} {}", self.name, self.side.name(), self.value(), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_kind_of_finding_has_one_rule() {
        let keys: Vec<&str> = RULES.iter().map(|rule| rule.kind.key()).collect();
        let all: BTreeSet<&str> = FindingKind::ALL.iter().map(|kind| kind.key()).collect();
        assert_eq!(keys.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(keys.len(), all.len());
    }

    #[test]
    fn each_limit_has_a_reason() {
        for limit in limits() {
            assert!(limit.reason.len() > 20 && limit.reason.trim_end().ends_with('.'), "{}", limit.name);
        }
    }
}
