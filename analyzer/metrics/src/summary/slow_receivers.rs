//! The finding on ranks that take small messages more slowly than others send them: sends wait, although no receive must be posted.

use super::limits::limits;
use std::collections::BTreeMap;

use super::used_sites::{UsedSite, named};
use super::{Evidence, Finding, FindingKind, activity_places};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, upper, verb};
use model::origins::Activity;
use model::roles::{CallPart, CallSite};
use model::sums::Grow;
use tables::Value;
use traces::calls::Call;

limits! {
    /// With shorter rows a receiver is late for single messages, not slow.
    LEAST_ROW = 4.0, Least, "calls", Convention;
}

/// Sends of one line that waited for receivers to take what was sent before.
pub struct SlowReceivers {
    /// Nanoseconds in the sends, and their number.
    pub time: i64,
    pub count: u64,
    /// Nanoseconds by the ranks' places in the run.
    senders: BTreeMap<u32, i64>,
    receivers: BTreeMap<u32, i64>,
    /// Place of the rank that they waited for longest.
    slowest: u32,
    /// The activity in which that rank spends most of its time, and that time in nanoseconds.
    spends: Option<(i64, Activity)>,
}

impl SlowReceivers {
    pub fn of(used: &UsedSite) -> Option<SlowReceivers> {
        let (known, (_, first)) = (used.known, used.ranks.first()?);
        let CallPart::Message { sends: true, receives: false, .. } = first.part else { return None };
        if first.starts || used.call().is_some_and(Call::is_synchronous) || used.row() < LEAST_ROW.get() {
            return None;
        }
        let (mut time, mut count) = (0i64, 0u64);
        let (mut senders, mut receivers) = (BTreeMap::new(), BTreeMap::new());
        for (sender, receiver, sends) in used.blocked.iter().copied() {
            if sends.count > 0 && known.stored_sizes().has((sender, receiver), sends.bytes) {
                time.grow(sends.time);
                count.grow(sends.count);
                senders.entry(sender).or_insert(0i64).grow(sends.time);
                receivers.entry(receiver).or_insert(0i64).grow(sends.time);
            }
        }
        let slowest = *receivers.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)))?.0;
        let spends = known.activities().of_rank(slowest).most;
        Some(SlowReceivers { time, count, senders, receivers, slowest, spends })
    }

    /// The site of the call in which the slowest receiver spends most of its time; `None` if it spends that outside MPI.
    pub fn call<'a>(&self, known: &Evidence<'a>) -> Option<&'a CallSite> {
        let Some((_, Activity::In(site))) = self.spends else { return None };
        Some(&known.run.call_sites()[site as usize])
    }

    /// `rank 0`.
    pub fn who(&self, known: &Evidence) -> String {
        ranks_in_words(&named(known.run, &self.receivers))
    }
}

/// The finding on receivers that do other work between their receives.
pub fn finding(used: &UsedSite, all: &SlowReceivers) -> Option<Finding> {
    let known = used.known;
    let (total, activity) = all.spends.filter(|(_, activity)| matches!(activity, Activity::Between(..)))?;
    let (slow, fast) = (named(known.run, &all.receivers), named(known.run, &all.senders));
    let costs = known.mean(all.time);
    let headline = format!(
        "{} {} messages more slowly than {} {} them in {}, which waits {}.",
        upper(&ranks_in_words(&slow)),
        verb(slow.len(), "takes", "take"),
        ranks_in_words(&fast),
        verb(fast.len(), "sends", "send"),
        used.place(),
        plural(all.count, "time")
    );
    let sites = known.run.call_sites();
    let rank = &known.run.ranks[all.slowest as usize];
    let [time, wall] = [seconds(total), rank.wall()].map(Value::Seconds);
    let who = upper(&ranks_in_words(&[world_rank(rank)]));
    let detail = format!("{who} spends {time} of its {wall} {}.", activity_places::in_words(activity, sites));
    let next = format!(
        "Give {} less to do there, or send fewer and larger messages, which wait less often. Receives posted earlier do not help: \
         messages of that size are not held back for them.",
        ranks_in_words(&slow)
    );
    let sites = used.sites().into_iter().chain(activity_places::lines(activity, sites)).collect();
    let finding = Finding::new(FindingKind::SlowReceiver, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(slow).sites(sites))
}
