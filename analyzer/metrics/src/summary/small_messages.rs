//! The finding on many small messages to the same rank, one directly behind another.

use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::{numbers_of, plural, upper};
use model::roles::CallPart;
use tables::Value;

/// Larger messages cost more for their bytes than for the call: at 10 GB/s, 4 KiB take 0.4 us, about what a call does.
const MOST_BYTES: u64 = 4096;
/// Shorter rows are not worth a buffer: to put four messages into one saves three quarters.
const LEAST_ROW: f64 = 4.0;

pub fn finding(used: &UsedSite) -> Option<Finding> {
    let is_send = |part: CallPart| matches!(part, CallPart::Message { sends: true, receives: false, .. });
    let (_, first) = used.ranks.first()?;
    let [count, bytes] = [used.count(), used.bytes()];
    let size = bytes / count.max(1);
    let repeated: u64 = used.ranks.iter().map(|(_, habits)| habits.repeated).sum();
    let row = count as f64 / count.saturating_sub(repeated).max(1) as f64;
    if !is_send(first.part) || size > MOST_BYTES || row < LEAST_ROW {
        return None;
    }
    let saved = 1.0 - 1.0 / row;
    let own = used.own();
    let costs = saved * used.known.mean(own + used.blamed());
    let culprits = used.culprits(|habits| habits.own());
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
    let detail = format!("A call takes {} whatever it sends, and nothing is received between.", Value::Seconds(each));
    let next = "Collect them in a buffer, and send one message to each rank.";
    let finding = Finding::new(FindingKind::SmallMessages, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}
