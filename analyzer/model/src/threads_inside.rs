//! Threads of a rank that are inside MPI at the same time: what their calls take alone, and with others inside.
//!
//! In: a rank's threads. Out: for each thread with many calls a [`ThreadInside`]. A call is alone if no other thread of the rank is inside MPI when
//! it begins: its own length has no part in that.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use traces::signature::NESTED;

use super::Rank;
use super::selection::{Cursor, LEFT_OUT};
use super::sums::Grow;
use super::thread_calls::{Extras, ThreadCall, ThreadCalls, earliest};

/// Calls of one thread. Times in ticks of the rank's clock.
#[derive(Default, Debug)]
pub struct ThreadInside {
    /// From its first call to the end of its last one.
    pub life: u64,
    pub inside: u64,
    pub calls: u64,
    /// Calls that began while another thread of the rank was inside MPI.
    pub together: u64,
    /// Time by function and call site, by which the median of its calls that were alone is found, too.
    pub sites: FxHashMap<(u16, u32), SiteInside>,
    begin: u64,
}

/// Calls of one site.
#[derive(Default, Debug)]
pub struct SiteInside {
    pub calls: u64,
    pub time: u64,
    /// Number of calls that were alone, by eighths of powers of two of their ticks.
    alone: BTreeMap<u32, u64>,
}

impl SiteInside {
    fn add(&mut self, duration: u64, is_alone: bool) {
        self.calls.grow(1);
        self.time.grow(duration);
        if is_alone {
            self.alone.entry((8.0 * (duration.max(1) as f64).log2()) as u32).or_default().grow(1);
        }
    }

    pub fn merge(&mut self, other: &SiteInside) {
        self.calls.grow(other.calls);
        self.time.grow(other.time);
        for (bin, count) in &other.alone {
            self.alone.entry(*bin).or_default().grow(*count);
        }
    }

    /// The number of calls that were alone, and their median in ticks, to a tenth.
    pub fn alone(&self) -> (u64, f64) {
        let count: u64 = self.alone.values().sum();
        let mut seen = 0;
        let middle = self.alone.iter().find(|(_, calls)| {
            seen += **calls;
            2 * seen >= count
        });
        (count, middle.map_or(0.0, |(bin, _)| 2f64.powf((f64::from(*bin) + 0.5) / 8.0)))
    }
}

/// Empty for a rank with one thread.
pub fn of_rank(rank: &Rank) -> Vec<ThreadInside> {
    let contents = rank.contents();
    if contents.threads.len() < 2 {
        return Vec::new();
    }
    let mut found: Vec<ThreadInside> = contents.threads.iter().map(|_| ThreadInside::default()).collect();
    let mut threads: Vec<_> = contents
        .threads
        .iter()
        .map(|thread| {
            let keys = thread.signatures.by_number(None, |signature, _| {
                (signature.flags & NESTED == 0).then_some((signature.call, signature.site))
            });
            (ThreadCalls::of_records(thread, Extras::empty()), Cursor::new(rank.stretches(thread.number)), keys, 0u64)
        })
        .collect();
    while let Some(at) = earliest(threads.iter().map(|(calls, ..)| calls.peek().map(|call| call.start))) {
        let Some(call) = threads[at].0.peek().cloned() else { break };
        let is_alone = threads.iter().enumerate().all(|(other, (.., until))| other == at || *until <= call.start);
        let (calls, cursor, keys, until) = &mut threads[at];
        let key = keys.get(call.signature as usize).copied().flatten();
        if let Some(key) = key.filter(|_| cursor.part_at(call.start) != LEFT_OUT) {
            found[at].add(&call, key, is_alone);
        }
        // Polls without success leave MPI between them.
        *until = if call.in_vain { call.start } else { call.end };
        calls.advance();
    }
    found
}

impl ThreadInside {
    fn add(&mut self, call: &ThreadCall, key: (u16, u32), is_alone: bool) {
        if self.calls == 0 {
            self.begin = call.start;
        }
        self.life = call.end.saturating_sub(self.begin);
        self.inside.grow(call.inside);
        self.calls.grow(call.count);
        self.together.grow(u64::from(!is_alone));
        if !call.in_vain {
            self.sites.entry(key).or_default().add(call.inside, is_alone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_calls_that_were_alone_is_within_a_tenth() {
        let mut site = SiteInside::default();
        for duration in [1000, 1000, 1000, 90_000, 90_000] {
            site.add(duration, true);
        }
        site.add(1_000_000, false);
        let (count, median) = site.alone();
        assert_eq!((count, site.calls), (5, 6));
        assert!((900.0..1100.0).contains(&median), "{median}");
    }
}
