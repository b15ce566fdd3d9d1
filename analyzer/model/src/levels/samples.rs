//! Reads where a rank's threads were between calls, in the order of time.

use traces::read::{ThreadWalk, Visitor};
use traces::record::Sample;

use crate::Rank;
use crate::common_clock::ClockLine;
use crate::selection::{Cursor, LEFT_OUT};

/// A sample on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlacedSample {
    /// Nanoseconds.
    pub at: i64,
    pub thread: u32,
    /// Number of the site in the rank's file.
    pub site: u32,
    /// Processor time that it stands for, nanoseconds.
    pub time: i64,
}

/// Selected samples of a rank.
pub fn samples(rank: &Rank, line: &ClockLine) -> Vec<PlacedSample> {
    if rank.samples.period == 0 {
        return Vec::new();
    }
    let mut samples = Vec::new();
    for thread in &rank.contents().threads {
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut reader = SampleReader { rank, line, thread: thread.number, cursor, samples: Vec::new() };
        // Damage was reported when the calls were counted.
        let mut walk = ThreadWalk::of_records(thread);
        while walk.step(&mut reader, usize::MAX).unwrap_or(true) {}
        samples.extend(reader.samples);
    }
    samples.sort_unstable();
    samples
}

struct SampleReader<'a> {
    rank: &'a Rank,
    line: &'a ClockLine,
    thread: u32,
    cursor: Cursor<'a>,
    samples: Vec<PlacedSample>,
}

impl Visitor for SampleReader<'_> {
    fn call(&mut self, _signature: u32, _start: u64, _duration: u64) {}

    fn sample(&mut self, at: u64, sample: Sample) {
        if self.cursor.part_at(at) != LEFT_OUT {
            let time = self.rank.samples.time(sample.periods);
            let (at, thread) = (self.line.nanoseconds_at(at), self.thread);
            self.samples.push(PlacedSample { at, thread, site: sample.site, time });
        }
    }
}
