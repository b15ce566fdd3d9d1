//! The finding on an epoch of a window for each few small accesses, where one epoch could have them all.

use super::limits::limits;
use super::used_sites::{self, UsedSite};
use super::{Finding, FindingKind};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words, upper, verb};
use model::habits::EpochSums;
use model::matching::scenario::RunChange;
use tables::Value;
use traces::calls::Call;

limits! {
    /// Epochs with more bytes cost more for these than for their synchronization: at 10 GB/s, 4 KiB take 0.4 us, about what the cheapest takes.
    MOST_BYTES = 4096, Most, "bytes", Derived;
    /// Shorter rows are not worth another order of the program: of four epochs that become one, three quarters are saved.
    LEAST_ROW = 4.0, Least, "epochs", Derived;
    /// Fewer epochs without accesses tell no usual time: the few of the planted program took a third of its usual ones.
    LEAST_EMPTY = 100, Least, "calls", Measured;
}

pub fn finding(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    let mut epochs = EpochSums::default();
    for (_, habits) in &used.ranks {
        epochs.merge(&habits.epochs);
    }
    let row = epochs.count as f64 / epochs.count.saturating_sub(epochs.repeated).max(1) as f64;
    if epochs.bytes > MOST_BYTES.count().saturating_mul(epochs.count) || row < LEAST_ROW.get() {
        return None;
    }
    let known = used.known;
    let synchronized = seconds(epochs.time) / epochs.count.max(1) as f64;
    let alone = empty(used, sites).unwrap_or(synchronized).min(synchronized);
    // Its accesses take the rest, however many epochs they have.
    let saved = (1.0 - 1.0 / row) * alone / synchronized.max(f64::MIN_POSITIVE);
    // Brief waits are for the other ranks' epochs, which take one longer than another.
    let costs = saved * known.mean(epochs.time.saturating_add(epochs.waited_briefly));
    let culprits = used.culprits(|habits| habits.epochs.count as i64);
    let is_of_all = culprits.len() == known.ranks();
    let who = if is_of_all { "Each rank".to_string() } else { upper(&ranks_in_words(&culprits)) };
    let ranks = culprits.len().max(1) as u64;
    let accesses = epochs.accesses as f64 / epochs.count.max(1) as f64;
    let each = Value::Bytes(epochs.bytes / epochs.accesses.max(1));
    let has = if accesses < 1.5 {
        format!("for one access of {each}")
    } else {
        format!("for {accesses:.0} accesses of {each}")
    };
    let access = used_sites::at(sites, epochs.accessed_at);
    let by = access.map_or_else(String::new, |access| format!(" by {}", access.place()));
    let headline = format!(
        "{who} {} {} in {}, {row:.0} in a row, each {has}{by}.",
        verb(if is_of_all { 1 } else { culprits.len() }, "ends", "end"),
        plural(epochs.count / ranks, "epoch"),
        used.place()
    );
    let detail = format!("To open and end one takes {}, however few accesses it has.", Value::Seconds(synchronized));
    let finding = Finding::new(FindingKind::SmallEpochs, "sites", headline).detail(detail).next(advice(used.call()));
    let places = used.sites().into_iter().chain(access.into_iter().flat_map(UsedSite::sites));
    let mut numbers = vec![used.number];
    numbers.extend(opens(used.call(), sites).map(|opens| opens.number));
    let changes = vec![RunChange::Calls(numbers, 1.0 - saved)];
    Some(
        finding
            .costs(costs)
            .changes(changes)
            .ranks(if is_of_all { Vec::new() } else { culprits })
            .sites(places.collect()),
    )
}

/// Seconds of the cheapest call of this kind that has no accesses to complete.
fn empty(used: &UsedSite, sites: &[UsedSite]) -> Option<f64> {
    let is_empty = |site: &&UsedSite| {
        let epochs = site.total(|habits| habits.epochs.count);
        site.call() == used.call() && site.count() >= LEAST_EMPTY.count() && epochs == 0
    };
    let each = sites.iter().filter(is_empty).map(|site| seconds(site.own()) / site.count() as f64);
    each.min_by(f64::total_cmp)
}

/// Calls that open the epochs that this one ends.
fn opens<'s, 'a>(ends: Option<Call>, sites: &'s [UsedSite<'a>]) -> impl Iterator<Item = &'s UsedSite<'a>> {
    let opens = match ends {
        Some(Call::Win_unlock) => Some(Call::Win_lock),
        Some(Call::Win_complete) => Some(Call::Win_start),
        _ => None,
    };
    sites.iter().filter(move |site| opens.is_some() && site.call() == opens)
}

fn advice(ends: Option<Call>) -> String {
    let once = match ends {
        Some(Call::Win_fence) => "call MPI_Win_fence once, after the last",
        Some(Call::Win_complete) => "call MPI_Win_start before the first and MPI_Win_complete after the last",
        Some(Call::Win_unlock | Call::Win_unlock_all) => "lock before the first and unlock after the last",
        _ => "flush once, after the last",
    };
    format!("Put all accesses of a row into one epoch: {once}. What lies side by side at the target can be one access.")
}
