//! Sums of calls and waits over several chunks, by rank: for a long time a page adds these up, and reads single calls
//! only at both ends.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::rank_section::RankSection;
use super::records::{CallSumKind, CallSumRecord, PairSumRecord, WaitSumRecord, known};
use super::time_sums::{CallSum, WaitKind, WaitTally};
use super::{Bytes, MessageLine};
use model::sums::Grow;

/// Function, call site and size class.
type SumKind = (u64, u64, u64);

#[derive(Default)]
pub struct ChunkSums {
    rows: Vec<(BTreeMap<SumKind, CallSum>, BTreeMap<WaitKind, WaitTally>)>,
    /// Messages and bytes, by sender's and receiver's row.
    messages: BTreeMap<(u32, u32), (u64, u64)>,
}

impl ChunkSums {
    /// Sums of a chunk, with the messages sent in its time.
    pub fn of(sections: &[RankSection], messages: &[MessageLine], (from, to): (i64, i64)) -> ChunkSums {
        let mut sums = ChunkSums::default();
        for section in sections {
            let (mut calls, mut waits) = (BTreeMap::<SumKind, CallSum>::new(), BTreeMap::<WaitKind, WaitTally>::new());
            for (kind, sum) in section.sums().filter(|(_, sum)| sum.calls > 0 || sum.time > 0) {
                calls.entry((kind.function, kind.site, kind.size)).or_default().merge(sum);
            }
            for (kind, tally) in section.waits().filter(|(_, tally)| tally.waits > 0 || tally.time > 0) {
                waits.entry(*kind).or_default().merge(tally);
            }
            sums.rows.push((calls, waits));
        }
        for message in messages.iter().filter(|message| from <= message.begin && message.begin < to) {
            sums.message((message.from, message.to), (1, message.bytes));
        }
        sums
    }

    pub fn merge(&mut self, other: &ChunkSums) {
        self.rows.resize_with(self.rows.len().max(other.rows.len()), Default::default);
        for (own, (calls, waits)) in self.rows.iter_mut().zip(&other.rows) {
            for (kind, sum) in calls {
                own.0.entry(*kind).or_default().merge(sum);
            }
            for (kind, tally) in waits {
                own.1.entry(*kind).or_default().merge(tally);
            }
        }
        for (pair, more) in &other.messages {
            self.message(*pair, *more);
        }
    }

    fn message(&mut self, pair: (u32, u32), (messages, bytes): (u64, u64)) {
        let sum = self.messages.entry(pair).or_default();
        sum.0.grow(messages);
        sum.1.grow(bytes);
    }

    /// Encodes the sums for the page.
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
        bytes.length(kinds.len());
        for (function, site, size) in kinds {
            CallSumKind { function, site, size }.write(&CallSumKind::default(), &mut bytes);
        }
        for (calls, waits) in &self.rows {
            bytes.length(calls.len());
            for (kind, sum) in calls {
                let CallSum { calls, time, of_others, engine: (entries, productive), .. } = *sum;
                let record = CallSumRecord {
                    kind: numbers[kind],
                    calls,
                    time,
                    of_others,
                    bytes: known(sum.bytes),
                    entries,
                    productive,
                };
                record.write(&CallSumRecord::default(), &mut bytes);
            }
            bytes.length(waits.len());
            for (kind, tally) in waits {
                let WaitKind { function, site, state, .. } = *kind;
                let (cause, place) = kind.cause.map(|(rank, place)| (rank.into(), place.into())).unzip();
                let WaitTally { waits, time, longest } = *tally;
                let record = WaitSumRecord { function, site, state: state.into(), cause, place, waits, time, longest };
                record.write(&WaitSumRecord::default(), &mut bytes);
            }
        }
        bytes.length(self.messages.len());
        for ((from, to), (messages, sent)) in &self.messages {
            let record = PairSumRecord { from: (*from).into(), to: (*to).into(), messages: *messages, bytes: *sent };
            record.write(&PairSumRecord::default(), &mut bytes);
        }
        bytes
    }
}
