//! What is said when a process has finalized MPI.

use std::sync::atomic::{AtomicBool, Ordering::*};

use traces::file::NO_RANK;

use super::folder;
use crate::messages;
use crate::recorder::file::pages::Output;
use crate::recorder::thread::slots;

/// The figures of the end were said.
static TOLD: AtomicBool = AtomicBool::new(false);

/// One line at the end: where it is, how much, and what it cost. `overhear record` in front of the launcher says it of all ranks.
pub fn say(output: &Output) {
    if TOLD.swap(true, Relaxed) {
        return;
    }
    let header = output.header().summary();
    let rank = if header.rank == NO_RANK { 0 } else { header.rank };
    let ticks = header.end.ticks.wrapping_sub(header.begin.ticks);
    let seconds = header.end.monotonic.wrapping_sub(header.begin.monotonic) as f64 / 1e9;
    let calls = slots::calls();
    let cost = header.costs.0 as f64 / 1000.0;
    let (entries, entry) = (slots::entries(), header.costs.1 as f64 / 1000.0);
    let in_nanoseconds = |cost: f64| cost * seconds * 1e9 / ticks.max(1) as f64;
    let off_line = slots::off_line() as f64;
    let share = 100.0 * (calls as f64 * cost + entries as f64 * entry + off_line) / ticks.max(1) as f64;
    let engine = match entries {
        0 => String::new(),
        _ => format!(", {:.0} ns an entry into the engine", in_nanoseconds(entry)),
    };
    let path = output.file.path();
    let folder = folder::parent_of(&path).display();
    let bytes = output.file.on_disk() as f64 / 1e6;
    let (call, beside) = (in_nanoseconds(cost), in_nanoseconds(off_line) / 1e6);
    messages::say(&format!(
        "{folder}: {bytes:.1} MB from rank {rank}, {call:.0} ns a call{engine}, {beside:.3} ms beside, {share:.2} % of its {seconds:.3} s"
    ));
}
