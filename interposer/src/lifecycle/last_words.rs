//! The line about the recording that is printed when MPI is finalized.

use std::sync::atomic::{AtomicBool, Ordering::*};

use traces::file::NO_RANK;
use traces::folder::as_typed;

use super::folder;
use crate::messages;
use crate::recorder::file::header::RecordingCosts;
use crate::recorder::file::pages::Output;
use crate::recorder::thread::slots;

/// Set once the line was printed.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Prints size, cost and the next command, as `overhear record` in front of the launcher does for all ranks.
pub fn say(output: &Output) {
    if TOLD.swap(true, Relaxed) {
        return;
    }
    let header = output.header().summary();
    let rank = if header.rank == NO_RANK { 0 } else { header.rank };
    let ticks = header.end.ticks.wrapping_sub(header.begin.ticks).max(1) as f64;
    let seconds = header.end.monotonic.wrapping_sub(header.begin.monotonic) as f64 / 1e9;
    let delaying = delaying_work(&header.costs);
    let (delay, share) = (in_units(delaying / ticks * seconds), 100.0 * delaying / (ticks - delaying).max(1.0));
    let path = output.file.path();
    let (size, folder) = (in_bytes(output.file.on_disk() as f64), as_typed(folder::parent_of(&path)));
    messages::say(&format!(
        "{size} of rank {rank}. Recording delayed it by about {delay} ({share:.2} %), start and end included. Next: overhear \
         {folder}"
    ));
}

/// The recorder's own work in this process that delayed the program, in ticks. Empty entries of a spinning wait and unsuccessful polls delay
/// nothing, except the last one of each call.
fn delaying_work(costs: &RecordingCosts) -> f64 {
    let [call, entry, productive] = [costs.call, costs.entry, costs.productive].map(|cost| cost as f64 / 1000.0);
    let entries = slots::entries();
    // A run of polls is a few words of a trace; a profile counts each.
    let calls = slots::words() + slots::profiled().saturating_sub(slots::idle_polls());
    let delaying = entries.entries.saturating_sub(entries.productive).min(calls);
    let spent = calls as f64 * call + entries.productive as f64 * productive + delaying as f64 * entry;
    spent + slots::off_line() as f64
}

fn in_units(seconds: f64) -> String {
    match seconds {
        0.9995.. => format!("{seconds:.3} s"),
        _ => format!("{:.3} ms", seconds * 1e3),
    }
}

fn in_bytes(bytes: f64) -> String {
    let kibibytes = bytes / 1024.0;
    match kibibytes {
        ..1024.0 => format!("{kibibytes:.1} KiB"),
        _ => format!("{:.1} MiB", kibibytes / 1024.0),
    }
}
