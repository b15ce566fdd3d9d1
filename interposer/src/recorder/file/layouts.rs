//! Datatypes with gaps, and the layouts of calls that use them. Each is defined once; signatures of all calls with the same layout
//! refer to its number.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use traces::definitions::{CallLayout, Datatype, Definition, Elements};
use traces::layout::BYTES;

use super::parts;
use super::shared;
use recorder_core::handles::Handles;

/// Limit on the datatypes that a process defines: some programs make new ones in each step.
const MOST_DATATYPES: u32 = 1 << 12;

/// Numbers of datatypes and of layouts by their hashes.
static DATATYPES: Handles<u32> = Handles::new();
static LAYOUTS: Handles<u32> = Handles::new();
static COUNT: AtomicU32 = AtomicU32::new(BYTES);

/// Defines the datatype of bytes without gaps, which says that the file knows layouts.
pub fn begin() {
    let bytes = Datatype { number: BYTES, size: 1, extent: 1, pieces: Some(1), joins: true };
    shared::define(&Definition::Datatype(bytes));
}

/// The number of the definition of a datatype; 0 if there are too many.
pub fn datatype(datatype: Datatype) -> u32 {
    let Datatype { size, extent, pieces, joins, .. } = datatype;
    let words = [size, extent as u64, pieces.unwrap_or(u64::MAX), u64::from(joins)];
    let hash = parts::hash(words.into_iter());
    let mut shared = shared::lock();
    if let Some(number) = DATATYPES.get(hash) {
        return number;
    }
    if COUNT.load(Relaxed) >= MOST_DATATYPES {
        return 0;
    }
    let number = COUNT.fetch_add(1, Relaxed) + 1;
    shared.define(&Definition::Datatype(Datatype { number, ..datatype }));
    DATATYPES.share(hash, number);
    number
}

/// The hash of a layout of elements, each with its datatype's number; never 0.
pub fn hash(parts: u32, sent: impl Iterator<Item = (u32, u64)>, received: impl Iterator<Item = (u32, u64)>) -> u64 {
    let words = |(datatype, count): (u32, u64)| [u64::from(datatype), count];
    let behind = [parts.into(), u64::MAX];
    parts::hash(sent.flat_map(words).chain(behind).chain(received.flat_map(words)))
}

/// The number of a layout that was defined before.
pub fn known(hash: u64) -> Option<u32> {
    LAYOUTS.get(hash)
}

/// Defines a layout, and returns its number; that of the parts if there is no room for it.
pub fn add(
    hash: u64,
    parts: u32,
    sent: impl Iterator<Item = (u32, u64)>,
    received: impl Iterator<Item = (u32, u64)>,
) -> u32 {
    let mut shared = shared::lock();
    if let Some(number) = known(hash) {
        return number;
    }
    let (sent, received) = (in_runs(sent), in_runs(received));
    let Some(number) = parts::number(size_of_val(&sent[..]) + size_of_val(&received[..])) else { return parts };
    shared.define(&Definition::CallLayout(CallLayout { number, parts, sent, received }));
    LAYOUTS.share(hash, number);
    number
}

fn in_runs(elements: impl Iterator<Item = (u32, u64)>) -> Vec<Elements> {
    let mut runs: Vec<Elements> = Vec::new();
    for (datatype, count) in elements.filter(|(_, count)| *count > 0) {
        match runs.last_mut() {
            Some(run) if (run.datatype, run.count) == (datatype, count) => run.times += 1,
            _ => runs.push(Elements { datatype, count, times: 1 }),
        }
    }
    runs
}
