//! Writes readings of the process's machine usage to the file.

use traces::definitions::Definition;
use traces::machine::UsageMoment;

use crate::clock;
use crate::machine;
use crate::recorder::file::shared;
use crate::system_calls;

/// What a reading tells.
pub type Readings = [Option<Definition>; 4];
pub const NONE: Readings = [const { None }; 4];

/// The usage of the process, and of the calling thread by its number in the trace, if it has one, what a quota took from
/// it, and what is counted of the thread. A program's filter of system calls may forbid all of it.
pub fn read(thread: Option<u32>, moment: UsageMoment) -> Readings {
    if system_calls::are_filtered() {
        return NONE;
    }
    let ticks = clock::now();
    let of_thread = thread.map(|thread| Definition::Usage(machine::of_thread(moment, ticks, thread)));
    let throttling = machine::throttling(moment, ticks).map(Definition::Throttling);
    let counted = thread.and_then(|thread| machine::counters(thread, moment, ticks));
    let of_process = Definition::Usage(machine::of_process(moment, ticks));
    [of_thread, Some(of_process), throttling, counted.map(Definition::CounterReading)]
}

/// Writes readings.
pub fn write(readings: Readings) {
    for reading in readings.into_iter().flatten() {
        shared::define(&reading);
    }
}

/// Writes the readings that take only microseconds, so that processes that are killed have figures, too.
pub(super) fn page_full(thread: u32) {
    if system_calls::are_filtered() {
        return;
    }
    let (moment, ticks) = (UsageMoment::PageFull, clock::now());
    shared::define_at_once(&Definition::Usage(machine::of_thread(moment, ticks, thread)));
    shared::define_at_once(&Definition::Usage(machine::of_process_briefly(moment, ticks)));
    if let Some(throttling) = machine::throttling(moment, ticks) {
        shared::define_at_once(&Definition::Throttling(throttling));
    }
    if let Some(counted) = machine::counters(thread, moment, ticks) {
        shared::define_at_once(&Definition::CounterReading(counted));
    }
}
