//! Exports a run as a trace for Perfetto's viewer, <https://ui.perfetto.dev>: a process per rank, a slice per call.
//!
//! The trace also has call stacks, samples, regions, wait states, the progress engine, and messages as arrows. Times are nanoseconds on the run's
//! clock. Calls are streamed; messages and waits are matched first and held in memory.

mod call_slices;
mod encoded_event;
mod flows;
mod proto;
mod trace_file;
mod tracks;

use std::io;
use std::path::Path;

use super::{Exported, realtime};
use crate::DataSet;
use model::error::Error;
use model::matching::Follow;
use model::{Run, levels};
use trace_file::TraceFile;
use tracks::Numbers;

/// Largest file, in bytes, that browsers open reliably. A page may have 2 GiB, and the viewer needs four times the size of a
/// trace (<https://perfetto.dev/docs/visualization/large-traces>).
pub const BROWSER_OPENS: u64 = 512 << 20;

pub fn write(run: &Run, path: &Path) -> Result<Exported, Error> {
    let set = DataSet::new(run, Follow::SPANS | Follow::MESSAGES);
    write_all(&set, path).map_err(|source| Error::Write { path: path.into(), source })
}

fn write_all(set: &DataSet<'_>, path: &Path) -> io::Result<Exported> {
    let run = set.run;
    let lives = levels::lives(run, &set.common_clock);
    let origin = lives.iter().map(|life| life.begin).min().unwrap_or(0).min(0);
    let mut file = TraceFile::create(path, origin)?;
    if let Some(realtime) = realtime(run, set, origin) {
        file.zero_is(realtime)?;
    }
    let mut numbers = Numbers::of(run);
    let mut processes: Vec<Option<u64>> = vec![None; run.ranks.len()];
    let (mut calls, mut samples, mut regions, mut progress) = (0, 0, 0, 0);
    for at in set.asked() {
        let (rank, end) = (&run.ranks[at], lives[at].end);
        let threads: Vec<u32> = set.threads(at).iter().map(|thread| thread.number).collect();
        let tracks = numbers.tracks(&mut file, run, at, &threads)?;
        processes[at] = Some(tracks.process);
        for (thread, track) in set.threads(at).iter().zip(&tracks.threads) {
            calls += call_slices::write(&mut file, run, rank, thread, &set.common_clock.lines[at], *track)?;
        }
        let threads: Vec<(u32, u64)> = threads.into_iter().zip(tracks.threads).collect();
        samples += call_slices::samples(&mut file, run, rank, &set.common_clock.lines[at], &threads)?;
        regions += tracks::regions(&mut file, set, at, end, &threads)?;
        progress += tracks::progress(&mut file, set, at, &threads)?;
    }
    let waits = flows::waits(&mut file, set, &processes)?;
    let messages = flows::messages(&mut file, set, &processes)?;
    let tables = vec![
        ("calls", calls),
        ("samples", samples),
        ("waits", waits),
        ("messages", messages),
        ("regions", regions),
        ("progress", progress),
    ];
    Ok(Exported { tables, bytes: file.finish()? })
}
