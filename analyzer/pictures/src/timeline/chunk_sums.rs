//! What the calls of several chunks come to, rank by rank: a page that looks at a long time adds up these, and single calls only
//! where the time begins and ends.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::data::RankSection;
use super::sums::{CallSum, WaitKind, WaitTally};
use super::{Bytes, MessageLine};
use model::sums::Grow;

/// What tables tell calls apart by: function, call site, and the power of two of their bytes.
type SumKind = (u32, u32, Option<u32>);

/// See the module.
#[derive(Default)]
pub struct ChunkSums {
    rows: Vec<(BTreeMap<SumKind, CallSum>, BTreeMap<WaitKind, WaitTally>)>,
    /// Messages and bytes, by rows.
    messages: BTreeMap<(u32, u32), (u64, u64)>,
}

impl ChunkSums {
    /// Of a chunk; of its messages, those that are sent in its time.
    pub fn of(sections: &[RankSection], messages: &[MessageLine], (from, to): (i64, i64)) -> ChunkSums {
        let row = |section: &RankSection| {
            let (mut calls, mut waits) = (BTreeMap::<SumKind, CallSum>::new(), BTreeMap::<WaitKind, WaitTally>::new());
            for (kind, sum) in section.sums().filter(|(_, sum)| !sum.is_nothing()) {
                calls.entry((kind.function, kind.site, kind.power())).or_default().merge(sum);
            }
            for (kind, tally) in section.waits().filter(|(_, tally)| tally.waits > 0 || tally.time > 0) {
                waits.entry(*kind).or_default().merge(tally);
            }
            (calls, waits)
        };
        let mut sums = ChunkSums { rows: sections.iter().map(row).collect(), messages: BTreeMap::new() };
        for message in messages.iter().filter(|message| from <= message.begin && message.begin < to) {
            sums.message((message.from, message.to), (1, message.bytes));
        }
        sums
    }

    /// Adds another chunk, or several.
    pub fn merge(&mut self, other: &ChunkSums) {
        self.rows.resize_with(self.rows.len().max(other.rows.len()), Default::default);
        for (own, (calls, waits)) in self.rows.iter_mut().zip(&other.rows) {
            calls.iter().for_each(|(kind, sum)| own.0.entry(*kind).or_default().merge(sum));
            waits.iter().for_each(|(kind, tally)| own.1.entry(*kind).or_default().merge(tally));
        }
        other.messages.iter().for_each(|(pair, more)| self.message(*pair, *more));
    }

    fn message(&mut self, pair: (u32, u32), (messages, bytes): (u64, u64)) {
        let sum = self.messages.entry(pair).or_default();
        sum.0.grow(messages);
        sum.1.grow(bytes);
    }

    /// As a page takes it: `sums` of `page/timeline/decode.js` is the other half.
    pub fn bytes(&self) -> Bytes {
        let mut numbers: FxHashMap<SumKind, u64> = FxHashMap::default();
        let mut kinds: Vec<SumKind> = Vec::new();
        for kind in self.rows.iter().flat_map(|(calls, _)| calls.keys()) {
            numbers.entry(*kind).or_insert_with(|| {
                kinds.push(*kind);
                kinds.len() as u64 - 1
            });
        }
        let mut bytes = Bytes::default();
        let put = |bytes: &mut Bytes, numbers: &[u64]| numbers.iter().for_each(|number| bytes.number(*number));
        bytes.number(kinds.len() as u64);
        for (function, site, power) in &kinds {
            put(&mut bytes, &[(*function).into(), (*site).into(), power.map_or(0, |power| u64::from(power) + 1)]);
        }
        for (calls, waits) in &self.rows {
            bytes.number(calls.len() as u64);
            for (kind, sum) in calls {
                put(&mut bytes, &[numbers[kind], sum.calls, sum.time, sum.bytes, sum.engine.0, sum.engine.1]);
            }
            bytes.number(waits.len() as u64);
            for (kind, tally) in waits {
                let (rank, place) = kind.cause.map_or((0, 0), |(rank, place)| (u64::from(rank) + 1, place.into()));
                put(&mut bytes, &[kind.function.into(), kind.site.into(), kind.state.into(), rank, place]);
                put(&mut bytes, &[tally.waits, tally.time, tally.longest]);
            }
        }
        bytes.number(self.messages.len() as u64);
        for ((from, to), (messages, sent)) in &self.messages {
            put(&mut bytes, &[(*from).into(), (*to).into(), *messages, *sent]);
        }
        bytes
    }
}
