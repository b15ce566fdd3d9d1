//! Creates the tracks of a rank: a process with its threads, and further tracks.

use std::io;

use super::proto::{ProcessDescriptor, ThreadDescriptor, TrackDescriptor};
use super::trace_file::TraceFile;
use crate::DataSet;
use crate::export::table_files::each;
use metrics::words::rank_in_words;
use model::Run;
use tables::Cell;

/// Process and thread numbers that are unique in the trace, since the viewer identifies them by these.
pub struct Numbers {
    /// Processes keep their own numbers, which are unique in the run; on several hosts or in containers they may not be.
    are_own: bool,
    next_thread: i64,
}

pub struct RankTracks {
    pub process: u64,
    /// In the order of the thread numbers given.
    pub threads: Vec<u64>,
}

impl Numbers {
    pub fn of(run: &Run) -> Numbers {
        let mut own: Vec<i32> = run.ranks.iter().filter_map(|rank| i32::try_from(rank.header.pid).ok()).collect();
        own.sort_unstable();
        own.dedup();
        let are_own = own.len() == run.ranks.len() && own.first().is_some_and(|least| *least > 0);
        let largest = if are_own { own.last().map_or(0, |last| i64::from(*last)) } else { run.ranks.len() as i64 };
        Numbers { are_own, next_thread: largest + 1 }
    }

    /// Writes the tracks of a rank and of the threads with these numbers.
    pub fn tracks(&mut self, file: &mut TraceFile, run: &Run, at: usize, threads: &[u32]) -> io::Result<RankTracks> {
        let rank = &run.ranks[at];
        let pid = if self.are_own { rank.header.pid as i32 } else { at as i32 + 1 };
        let process_name = format!("{} ({})", rank_in_words(rank), rank.process.host);
        let process = ProcessDescriptor { pid, legacy_sort_index: at as i32, process_name };
        let process = file.track(TrackDescriptor { process: Some(process), ..TrackDescriptor::default() })?;
        let mut tracks = RankTracks { process, threads: Vec::new() };
        for (place, number) in threads.iter().enumerate() {
            // The system numbers a process's first thread as the process.
            let tid = if place == 0 { pid.into() } else { self.next_thread };
            self.next_thread += i64::from(place > 0);
            let thread = ThreadDescriptor { pid, tid, thread_name: format!("thread {number}") };
            let parent_uuid = Some(process);
            let track = TrackDescriptor { thread: Some(thread), parent_uuid, ..TrackDescriptor::default() };
            tracks.threads.push(file.track(track)?);
        }
        Ok(tracks)
    }
}

/// Tracks of one name, shown as one, and as many as needed to keep slices on a track from overlapping.
pub struct Lanes {
    name: &'static str,
    parent: u64,
    /// Track number, and the end of its last slice.
    lanes: Vec<(u64, i64)>,
}

impl Lanes {
    pub fn new(name: &'static str, parent: u64) -> Lanes {
        Lanes { name, parent, lanes: Vec::new() }
    }

    /// The first track that is free for a slice.
    pub fn at(&mut self, file: &mut TraceFile, (from, to): (i64, i64)) -> io::Result<u64> {
        if let Some((track, until)) = self.lanes.iter_mut().find(|(_, until)| *until <= from) {
            *until = to;
            return Ok(*track);
        }
        let track = below(file, self.name, self.parent)?;
        self.lanes.push((track, to));
        Ok(track)
    }
}

/// Adds a track below another.
pub fn below(file: &mut TraceFile, name: &str, parent: u64) -> io::Result<u64> {
    file.track(TrackDescriptor { name: Some(name.into()), parent_uuid: Some(parent), ..TrackDescriptor::default() })
}

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
