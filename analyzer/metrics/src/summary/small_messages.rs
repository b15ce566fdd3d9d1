//! The finding on many small messages to the same rank, one directly behind another.

use super::limits::limits;
use super::slow_receivers::SlowReceivers;
use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::matching::scenario::RunChange;
use model::roles::{CallPart, CallSite};
use model::sums::{Grow, Total};
use tables::Value;

limits! {
    /// Larger messages cost more for their bytes than for the call: at 10 GB/s, 4 KiB take 0.4 us, about what a call does.
    MOST_BYTES = 4096, Most, "bytes", Derived;
    /// Shorter rows are not worth a buffer: to put four messages into one saves three quarters.
    LEAST_ROW = 4.0, Least, "calls", Convention;
}

/// The finding on one of the `sites`. Leaves out receives that the `others` are about.
pub fn finding(
    used: &UsedSite,
    slow: Option<&SlowReceivers>,
    sites: &[UsedSite],
    others: &[Finding],
) -> Option<Finding> {
    let (_, first) = used.ranks.first()?;
    let CallPart::Message { sends: true, receives, .. } = first.part else { return None };
    let [count, bytes] = [used.count(), used.bytes()];
    let size = bytes / count.max(1);
    let row = used.row();
    if size > MOST_BYTES.count() || row < LEAST_ROW.get() {
        return None;
    }
    let saved = 1.0 - 1.0 / row;
    // An exchange waits for the other rank's message, however small.
    let brief = if receives { used.total(|habits| habits.waited_briefly) } else { 0 };
    let (long, long_count) = if receives { (0, 0) } else { long_sends(used) };
    let own = (used.own() - long).max(0);
    let share = own as f64 / used.own().max(1) as f64;
    let own = own.saturating_add(brief);
    let blamed = (share * used.blamed() as f64) as i64;
    // A receiver that does nothing but receive is as slow as so many messages make it, unless it looks for each among many.
    let slow = slow.filter(|slow| {
        let is_of = |call: &CallSite, other: &Finding| {
            other.kind == FindingKind::WrongOrder && other.sites.first() == Some(&call.site)
        };
        slow.call(used.known).is_some_and(|call| !others.iter().any(|other| is_of(call, other)))
    });
    let held = slow.map_or(0, |slow| slow.time);
    let all = own.saturating_add(received(used, sites, others, size)).saturating_add(blamed).saturating_add(held);
    if !used.pays_to_combine(all) {
        return None;
    }
    // Calls from which a rank is kept off its core take long for no cause of their own. Ranks that share cores give them up to each
    // other for every message.
    let running = if used.known.shares_cores() { 1.0 } else { used.known.running_in_mpi() };
    let costs = saved * running * used.known.mean(all);
    // If ranks share cores, times say little about how much each rank sends.
    let culprits = used.culprits(|habits| habits.count as i64);
    let headline = format!(
        "{} {} {} of {} in {}, {} to the same rank.",
        upper(&ranks_in_words(&culprits)),
        verb(culprits.len(), "sends", "send"),
        plural(count, "message"),
        Value::Bytes(size),
        used.place(),
        used.row_in_words()
    );
    let each = crate::totals::seconds(own) / count.saturating_sub(long_count).max(1) as f64;
    let between =
        if receives { "there is no time between to use what is received" } else { "nothing is received between" };
    let with_receive = costs * used.known.ranks() as f64 / count.max(1) as f64;
    let both = if with_receive > each {
        format!(", a message {} with its receive and the waits for it", Value::Seconds(with_receive))
    } else {
        String::new()
    };
    let mut detail = format!("A call takes {} on average{both}; {between}.", Value::Seconds(each));
    if let Some((slow, call)) = slow.and_then(|slow| Some((slow, slow.call(used.known)?))) {
        let (waits, time) = (plural(slow.count, "call"), Value::Seconds(running * used.known.mean(slow.time)));
        let who = slow.who(used.known);
        let call = site_in_words(call);
        let waiting = verb(culprits.len(), "It also waits", "They also wait");
        detail += &format!(" {waiting} in {waits} until {who} takes what was sent, in {call}: {time} per rank.");
    }
    let untaken = untaken(used);
    let next = if 2 * untaken > count {
        detail += &format!(" {} are never received.", upper(&plural(untaken, "message")));
        "Receive them, or do not send them: messages that nobody takes fill memory, in a buffer or one by one."
    } else {
        "Collect them in a buffer, and send one message to each rank."
    };
    let finding = Finding::new(FindingKind::SmallMessages, "functions", headline).detail(detail).next(next);
    let mut numbers = vec![used.number];
    numbers.extend(receivers(sites, others, size).map(|site| site.number));
    let finding = finding.changes(vec![RunChange::Calls(numbers, 1.0 / row)]);
    Some(finding.costs(costs).ranks(culprits).sites(used.sites()))
}

/// Time of long sends without the part that counts as a wait, and their number. They wait for the receiver or are kept from their core,
/// so they say nothing about the price of a call, unless most take as long though the receiver is there. Nanoseconds.
fn long_sends(used: &UsedSite) -> (i64, u64) {
    let prepared = used.blocked.iter().map(|(_, _, sends)| sends.prepared).total();
    let is_usual = 2 * prepared > used.count();
    let (mut time, mut count) = (0i64, 0u64);
    for (_, _, sends) in &used.blocked {
        time.grow(sends.time - sends.waited);
        count.grow(sends.count);
        if !is_usual {
            time.grow(sends.prepared_time);
            count.grow(sends.prepared);
        }
    }
    (time, count)
}

/// Number of this line's messages that were not received.
fn untaken(used: &UsedSite) -> u64 {
    let unreceived = used.known.account().into_iter().flat_map(|account| &account.unreceived);
    unreceived.filter(|(at, _)| at.place.number() == used.number as usize).map(|(_, count)| *count).total()
}

/// Calls that receive messages of this size, but those that the `others` are about.
fn receivers<'s, 'a>(
    sites: &'s [UsedSite<'a>],
    others: &[Finding],
    size: u64,
) -> impl Iterator<Item = &'s UsedSite<'a>> {
    let is_named = |site: &UsedSite| others.iter().any(|other| site.sites().iter().any(|of| other.sites.contains(of)));
    let is_receive = |part: CallPart| matches!(part, CallPart::Message { sends: false, receives: true, .. });
    sites.iter().filter(move |other| {
        let first = other.ranks.first();
        first.is_some_and(|(_, habits)| is_receive(habits.part))
            && other.bytes() / other.count().max(1) == size
            && !is_named(other)
    })
}

/// Time of the calls that receive messages of this size, for at most as many messages as this line sends. Nanoseconds.
fn received(used: &UsedSite, sites: &[UsedSite], others: &[Finding], size: u64) -> i64 {
    let (time, count) =
        receivers(sites, others, size).fold((0, 0), |(time, count), other| (other.own() + time, other.count() + count));
    (time as f64 * (used.count() as f64 / count.max(1) as f64).min(1.0)) as i64
}
