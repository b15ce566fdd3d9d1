//! Writes a thread's regions and its entries into the progress engine.

use std::io;

use super::file::TraceFile;
use super::tracks::Lanes;
use crate::DataSet;
use crate::export::rows::each;
use tables::Cell;

/// Writes the regions of a rank's threads, given by number and track. Returns their number.
pub fn regions(
    file: &mut TraceFile,
    set: &DataSet<'_>,
    at: usize,
    end: i64,
    threads: &[(u32, u64)],
) -> io::Result<u64> {
    let line = &set.common_clock.lines[at];
    let mut lanes: Vec<(u32, Lanes)> = rows("regions", threads);
    let keys = ["thread", "region", "start_ticks", "end_ticks"];
    each(set, "regions", at, &keys, &mut |cells| {
        let [Cell::Whole(thread), Cell::Text(name), Cell::Whole(start), left] = *cells else { return Ok(0) };
        let Some((_, lanes)) = lanes.iter_mut().find(|(number, _)| u64::from(*number) == thread) else { return Ok(0) };
        let from = line.nanoseconds_at(start);
        let to = if let Cell::Whole(left) = left { line.nanoseconds_at(left) } else { end };
        let time = (from, to.max(from));
        let event = file.event(name, "region");
        let track = lanes.at(file, time)?;
        file.slice(track, time, event).map(|()| 1)
    })
}

/// Writes the engine entries of a rank's threads. Returns the number of slices.
pub fn progress(file: &mut TraceFile, set: &DataSet<'_>, at: usize, threads: &[(u32, u64)]) -> io::Result<u64> {
    let line = &set.common_clock.lines[at];
    let mut lanes: Vec<(u32, Lanes)> = rows("progress engine", threads);
    let keys = ["thread", "outside", "entries", "start_ticks", "end_ticks"];
    each(set, "progress", at, &keys, &mut |cells| {
        let [Cell::Whole(thread), Cell::Flag(outside), Cell::Whole(entries), Cell::Whole(start), Cell::Whole(end)] =
            *cells
        else {
            return Ok(0);
        };
        let Some((_, lanes)) = lanes.iter_mut().find(|(number, _)| u64::from(*number) == thread) else { return Ok(0) };
        let from = line.nanoseconds_at(start);
        let time = (from, line.nanoseconds_at(end).max(from));
        let mut event = file.event(if outside { "outside MPI calls" } else { "productive" }, "progress engine");
        file.whole(&mut event, "entries", entries);
        let track = lanes.at(file, time)?;
        file.slice(track, time, event).map(|()| 1)
    })
}

fn rows(name: &'static str, threads: &[(u32, u64)]) -> Vec<(u32, Lanes)> {
    threads.iter().map(|(number, track)| (*number, Lanes::new(name, *track))).collect()
}
