//! The finding on ranks that take small messages more slowly than others send them: sends wait, although no receive must be posted.

use std::collections::BTreeMap;

use super::used_sites::{UsedSite, named};
use super::{Evidence, Finding, FindingKind, eager_limit};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::matching::WaitKey;
use model::origins::Activity;
use model::roles::{CallPart, CallSite};
use model::sums::Grow;
use rustc_hash::FxHashMap;
use tables::Value;
use traces::calls::Call;

/// With shorter rows a receiver is late for single messages, not slow.
const LEAST_ROW: f64 = 4.0;

/// The sizes up to which messages are stored, by sender and receiver: their receive need not be posted.
struct StoredSizes(FxHashMap<(u32, u32), u64>);

impl StoredSizes {
    fn of(known: &Evidence) -> StoredSizes {
        let mut sizes: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for ((sender, receiver), sends) in known.account.into_iter().flat_map(|account| &account.blocked) {
            let site = known.account.and_then(|account| account.places.get(sender.place.number()));
            // The program's own buffer holds messages of any size.
            if !site.and_then(CallSite::call).is_some_and(Call::is_buffered) {
                let most = sizes.entry((sender.rank, *receiver)).or_default();
                *most = (*most).max(sends.at_once);
            }
        }
        StoredSizes(sizes)
    }

    fn has(&self, pair: (u32, u32), bytes: u64) -> bool {
        bytes < eager_limit::LEAST_BYTES || self.0.get(&pair).is_some_and(|most| bytes <= *most)
    }
}

/// True if the wait is for a receive, but in sends of messages that the library stores without one.
pub fn is_stored(known: &Evidence, wait: WaitKey) -> bool {
    let blocked = known.account.and_then(|account| account.blocked.get(&(wait.waiter, wait.cause.rank)));
    let pair = (wait.waiter.rank, wait.cause.rank);
    blocked.is_some_and(|sends| sends.count > 0 && StoredSizes::of(known).has(pair, sends.bytes))
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
    spends: Option<(Activity, i64)>,
}

impl SlowReceivers {
    pub fn of(used: &UsedSite) -> Option<SlowReceivers> {
        let (known, (_, first)) = (used.known, used.ranks.first()?);
        let CallPart::Message { sends: true, receives: false, .. } = first.part else { return None };
        if first.starts || used.call().is_some_and(Call::is_synchronous) || used.row() < LEAST_ROW {
            return None;
        }
        let mut blocked = used.blocked().filter(|(_, _, sends)| sends.count > 0).peekable();
        // Few lines have any, and the sizes are looked for among all lines.
        blocked.peek()?;
        let stored = StoredSizes::of(known);
        let (mut time, mut count) = (0i64, 0u64);
        let (mut senders, mut receivers) = (BTreeMap::new(), BTreeMap::new());
        for (sender, receiver, sends) in blocked {
            if stored.has((sender, receiver), sends.bytes) {
                time.grow(sends.time);
                count.grow(sends.count);
                senders.entry(sender).or_insert(0i64).grow(sends.time);
                receivers.entry(receiver).or_insert(0i64).grow(sends.time);
            }
        }
        let slowest = *receivers.iter().max_by_key(|(rank, time)| (**time, std::cmp::Reverse(**rank)))?.0;
        let activities = known.walk.into_iter().flat_map(|walk| &walk.origins.activities);
        let spends = activities.filter(|((rank, _), _)| *rank == slowest);
        let spends = spends.map(|((_, activity), times)| (*activity, times.total));
        let spends = spends.max_by_key(|(activity, total)| (*total, *activity));
        Some(SlowReceivers { time, count, senders, receivers, slowest, spends })
    }

    /// The site of the call in which the slowest receiver spends most of its time; `None` if it spends that outside MPI.
    pub fn call<'a>(&self, known: &Evidence<'a>) -> Option<&'a CallSite> {
        let Some((Activity::In(site), _)) = self.spends else { return None };
        known.walk.map(|walk| &walk.sites[site as usize])
    }

    /// `rank 0`.
    pub fn who(&self, known: &Evidence) -> String {
        ranks_in_words(&named(known.run, &self.receivers))
    }
}

/// The finding on receivers that do other work between their receives.
pub fn finding(used: &UsedSite, all: &SlowReceivers) -> Option<Finding> {
    let known = used.known;
    let (Activity::Between(from, to), total) = all.spends? else { return None };
    let (slow, fast) = (named(known.run, &all.receivers), named(known.run, &all.senders));
    let costs = known.mean(all.time);
    let headline = format!(
        "{} {} messages more slowly than {} {} them in {}, which waits {}: {}.",
        upper(&ranks_in_words(&slow)),
        verb(slow.len(), "takes", "take"),
        ranks_in_words(&fast),
        verb(fast.len(), "sends", "send"),
        used.place(),
        plural(all.count, "time"),
        known.cost(costs)
    );
    let walk = known.walk?;
    let site = |number: u32| &walk.sites[number as usize];
    let words = |number: u32| site_in_words(site(number));
    let (place, numbers) = match from == to {
        true => (format!("two calls of {}", words(from)), vec![from]),
        false => (format!("{} and {}", words(from), words(to)), vec![to, from]),
    };
    let rank = &known.run.ranks[all.slowest as usize];
    let [time, wall] = [seconds(total), rank.wall()].map(Value::Seconds);
    let who = upper(&ranks_in_words(&[world_rank(rank)]));
    let detail = format!("{who} spends {time} of its {wall} between {place}.");
    let next = format!(
        "Give {} less to do there, or send fewer and larger messages, which wait less often. Receives posted earlier do not help: \
         messages of that size are not held back for them.",
        ranks_in_words(&slow)
    );
    let theirs = numbers.into_iter().map(|number| site(number).site.clone()).filter(|site| !site.is_empty());
    let sites = used.sites().into_iter().chain(theirs).collect();
    let finding = Finding::new(FindingKind::SlowReceiver, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(slow).sites(sites))
}
