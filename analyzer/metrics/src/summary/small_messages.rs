//! The finding on many small messages to the same rank, one directly behind another.

use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::{numbers_of, plural, upper};
use model::roles::CallPart;
use model::sums::Total;
use tables::Value;

/// Larger messages cost more for their bytes than for the call: at 10 GB/s, 4 KiB take 0.4 us, about what a call does.
const MOST_BYTES: u64 = 4096;
/// Shorter rows are not worth a buffer: to put four messages into one saves three quarters.
const LEAST_ROW: f64 = 4.0;

/// Leaves out receives that the `others` are about.
pub fn finding(used: &UsedSite, sites: &[UsedSite], others: &[Finding]) -> Option<Finding> {
    let (_, first) = used.ranks.first()?;
    let CallPart::Message { sends: true, receives, .. } = first.part else { return None };
    let [count, bytes] = [used.count(), used.bytes()];
    let size = bytes / count.max(1);
    let repeated: u64 = used.ranks.iter().map(|(_, habits)| habits.repeated).sum();
    let row = count as f64 / count.saturating_sub(repeated).max(1) as f64;
    if size > MOST_BYTES || row < LEAST_ROW {
        return None;
    }
    let saved = 1.0 - 1.0 / row;
    // An exchange waits for the other rank's message, however small.
    let brief = if receives { used.ranks.iter().map(|(_, habits)| habits.waited_briefly).total() } else { 0 };
    let own = used.own().saturating_add(brief);
    let all = own.saturating_add(received(used, sites, others, size)).saturating_add(used.blamed());
    let costs = saved * used.known.mean(all);
    // If ranks share cores, times say little about how much each rank sends.
    let culprits = used.culprits(|habits| habits.count as i64);
    let headline = format!(
        "{} {} {} of {} in {}, {row:.0} in a row to the same rank: {}.",
        upper(&numbers_of(&culprits)),
        if culprits.len() == 1 { "sends" } else { "send" },
        plural(count, "message"),
        Value::Bytes(size),
        used.place(),
        used.known.cost(costs)
    );
    let each = crate::totals::seconds(own) / count.max(1) as f64;
    let between =
        if receives { "there is no time between to use what is received" } else { "nothing is received between" };
    let detail = format!("A call takes {} whatever it sends, and {between}.", Value::Seconds(each));
    let next = "Collect them in a buffer, and send one message to each rank.";
    let finding = Finding::new(FindingKind::SmallMessages, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}

/// Time of the calls that receive messages of this size, for at most as many messages as this line sends. Nanoseconds.
fn received(used: &UsedSite, sites: &[UsedSite], others: &[Finding], size: u64) -> i64 {
    let is_named = |site: &UsedSite| others.iter().any(|other| other.sites == site.sites());
    let is_receive = |part: CallPart| matches!(part, CallPart::Message { sends: false, receives: true, .. });
    let receives = sites.iter().filter(|other| {
        let first = other.ranks.first();
        first.is_some_and(|(_, habits)| is_receive(habits.part))
            && other.bytes() / other.count().max(1) == size
            && !is_named(other)
    });
    let (time, count) = receives.fold((0, 0), |(time, count), other| (other.own() + time, other.count() + count));
    (time as f64 * (used.count() as f64 / count.max(1) as f64).min(1.0)) as i64
}
