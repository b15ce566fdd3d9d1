//! Exports a run as an OTF2 archive for Vampir, Scalasca, Pipit and ViTE, with a location per thread and a region per function.
//!
//! [OTF2's own library](library) writes the archive. Times are nanoseconds on the run's clock. Calls are streamed; messages are
//! matched first and held in memory, since the sender of a wildcard receive follows only from its message.

mod archive;
mod calls;
mod communicators;
mod definition_writer;
mod event_meanings;
mod event_writer;
mod global_definitions;
mod library;
mod processes;
mod selected_events;

use std::path::Path;

use super::table_files::each;
use super::{Exported, realtime};
use crate::DataSet;
use archive::Archive;
pub use archive::NAME;
use calls::{RankEvents, ThreadEvents};
use communicators::Communicators;
use definition_writer::DefinitionWriter;
use event_meanings::Definitions;
use event_writer::{EventWriter, Nesting, Region};
pub use library::{Functions, load};
use model::Run;
use model::error::Error;
use model::levels::{self, Life};
use model::matching::{Follow, Settled, settled};
use model::roles::Roles;
use model::stream::Stream;
use processes::Processes;
pub use selected_events::ExportSums;
use selected_events::{MessageEnds, SelectedEvents};
use tables::Cell;

/// Size of an archive, and the data of the run that it leaves out.
pub struct ExportedArchive {
    pub exported: Exported,
    /// Data left out, one line each.
    pub left_out: Vec<String>,
}

pub fn write(run: &Run, functions: &Functions, folder: &Path) -> Result<ExportedArchive, Error> {
    let Settled { mut account, common_clock, .. } = settled(run, Follow::MESSAGES);
    let elsewhere = account.elsewhere + account.unrecorded;
    let ends = MessageEnds::of(std::mem::take(&mut account.messages));
    drop(account);
    // Matching may have moved the clocks, so that no message runs backwards.
    let set = DataSet::on(run, common_clock);
    let lives = levels::lives(run, &set.common_clock);
    let origin = lives.iter().map(|life| life.begin).min().unwrap_or(0).min(0);
    let communicators = Communicators::of(run, &set.objects);
    let mut told = SelectedEvents::new(run, &set.common_clock, &set.objects, &communicators, ends, origin);
    let archive = Archive::create(functions, folder)?;
    let (mut definitions, mut processes) = (Definitions::of(run), Processes::of(run, &communicators.absent));
    let (mut length, mut cut) = (0, 0);
    for (at, life) in lives.iter().enumerate() {
        let written = one_rank(&archive, &set, &mut told, &mut definitions, &mut processes, (at, life))?;
        length = length.max(written.0);
        cut += written.1;
    }
    for process in run.ranks.len()..processes.count() {
        EventWriter::begin(&archive, processes.locations())?.finish()?;
        processes.add(process, 0, 0);
    }
    archive.end_events(processes.locations())?;
    let writer = DefinitionWriter::begin(&archive)?;
    writer.clock(length + 1, realtime(run, &set, origin))?;
    global_definitions::write(definitions, writer, &processes, &communicators)?;
    let sums = told.sums;
    archive.close()?;
    let tables = vec![
        ("calls", sums.calls),
        ("messages", sums.messages),
        ("collectives", sums.collectives),
        ("regions", sums.regions),
    ];
    let failed = |source| Error::Write { path: folder.into(), source };
    let exported = Exported { tables, bytes: size(folder).map_err(failed)? };
    Ok(ExportedArchive { exported, left_out: left_out(&sums, elsewhere, cut) })
}

/// Writes the events of a rank. Returns the time of the last, and how often regions were cut.
fn one_rank(
    archive: &Archive<'_>,
    set: &DataSet<'_>,
    told: &mut SelectedEvents<'_>,
    definitions: &mut Definitions,
    processes: &mut Processes,
    (at, life): (usize, &Life),
) -> Result<(u64, u64), Error> {
    let rank = &set.run.ranks[at];
    let pages = if rank.is_asked { set.threads(at) } else { &[] };
    if pages.is_empty() {
        EventWriter::begin(archive, processes.locations())?.finish()?;
        processes.add(at, 0, 0);
        return Ok((0, 0));
    }
    let mut regions = regions(set, definitions, told.origin, (at, life.end))?;
    told.sums.regions += regions.len() as u64;
    let mut samples = levels::samples(rank, &set.common_clock.lines[at]);
    samples.reverse();
    let mut threads = Vec::new();
    for (thread, place) in pages.iter().zip(processes.locations()..) {
        let roles = Roles::of(set.run, told.objects, set.run.call_sites(), at);
        let stream = Stream::whole(thread, rank, &told.common_clock.lines[at], roles);
        let meanings = event_meanings::of_thread(definitions, set.run, at, thread);
        let own = regions.extract_if(.., |region| region.0 == thread.number).map(|region| region.1).collect();
        threads.push(ThreadEvents {
            stream,
            meanings,
            nesting: Nesting::new(own),
            samples: samples
                .iter()
                .filter(|sample| sample.thread == thread.number)
                .filter_map(|sample| Some((sample.at, definitions.context(at, sample)?)))
                .collect(),
            events: EventWriter::begin(archive, place)?,
        });
    }
    RankEvents::new(told, at as u32).tell(&mut threads)?;
    let (mut last, mut cut) = (0, 0);
    for (mut thread, pages) in threads.into_iter().zip(pages) {
        thread.sampled(i64::MAX, told.origin)?;
        thread.nesting.until(u64::MAX, &mut thread.events)?;
        last = last.max(thread.events.last());
        cut += thread.nesting.cut;
        processes.add(at, pages.number, thread.events.finish()?);
    }
    Ok((last, cut))
}

/// Regions of a rank that ends at `end`, with their threads.
fn regions(
    set: &DataSet<'_>,
    definitions: &mut Definitions,
    origin: i64,
    (at, end): (usize, i64),
) -> Result<Vec<(u32, Region)>, Error> {
    let line = &set.common_clock.lines[at];
    let mut regions = Vec::new();
    let keys = ["thread", "region", "start_ticks", "end_ticks"];
    let rows = each(set, "regions", at, &keys, &mut |cells| {
        let [Cell::Whole(thread), Cell::Text(name), Cell::Whole(start), left] = *cells else { return Ok(0) };
        let from = line.nanoseconds_at(start);
        let to = if let Cell::Whole(left) = left { line.nanoseconds_at(left) } else { end };
        let time = |at: i64| at.saturating_sub(origin).max(0) as u64;
        let number = definitions.region(name, event_meanings::CODE, event_meanings::USER);
        regions.push((thread as u32, Region { from: time(from), to: time(to.max(from)), number }));
        Ok(1)
    });
    rows.map_err(|source| Error::Write { path: set.run.folder.clone(), source })?;
    Ok(regions)
}

/// Lines about the data left out.
fn left_out(sums: &ExportSums, elsewhere: u64, cut: u64) -> Vec<String> {
    let all = [
        (elsewhere, "messages from or to ranks that have no file here are left out"),
        (sums.unknown, "messages and collective calls on communicators whose processes are not known are left out"),
        (
            sums.unnamed,
            "collective calls that OTF2 has no name for are functions without an operation: neighborhoods, fences",
        ),
        (cut, "times a region ended inside another, which OTF2 cannot say: the inner one is left and entered again"),
    ];
    all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

fn size(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for folder in [folder.to_path_buf(), folder.join(NAME)] {
        for entry in std::fs::read_dir(folder)? {
            let found = entry?.metadata()?;
            bytes += if found.is_file() { found.len() } else { 0 };
        }
    }
    Ok(bytes)
}
