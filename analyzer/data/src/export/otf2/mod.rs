//! Exports a run as an OTF2 archive for Vampir, Scalasca, Pipit and ViTE, with a location per thread and a region per function.
//!
//! [OTF2's own library](library) writes the archive. Times are nanoseconds on the run's clock. Calls are streamed, ranks in parallel; messages are
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
mod rank_plans;
mod selected_events;

use std::path::Path;

use super::{Exported, realtime};
use crate::DataSet;
use archive::Archive;
pub use archive::NAME;
use calls::{RankEvents, ThreadEvents};
use communicators::Communicators;
use definition_writer::DefinitionWriter;
use event_meanings::Definitions;
use event_writer::{EventWriter, Nesting};
pub use library::{Functions, load};
use model::Run;
use model::error::Error;
use model::levels;
use model::matching::{Follow, Settled, settled};
use model::parallel;
use model::roles::Roles;
use model::stream::Stream;
use processes::Processes;
use rank_plans::{RankPlan, RankPlans};
pub use selected_events::ExportSums;
use selected_events::{MessageEnds, SelectedEvents};

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
    let archive = Archive::create(functions, folder)?;
    let (mut definitions, mut processes) = (Definitions::of(run), Processes::of(run, &communicators.absent));
    let plans = RankPlans::new(&set, &lives, origin, &mut definitions, &mut processes);
    let written = parallel::map_each(plans, |plan| {
        let plan = plan?;
        let messages = ends.of_rank(plan.at as u32);
        let told = SelectedEvents::new(run, &set.common_clock, &set.objects, &communicators, messages, origin);
        one_rank(&archive, &set, told, plan)
    });
    let (mut length, mut cut, mut sums) = (0, 0, ExportSums::default());
    for of_rank in written {
        let of_rank = of_rank?;
        length = length.max(of_rank.last);
        cut += of_rank.cut;
        sums += of_rank.sums;
        for (location, events) in of_rank.events {
            processes.has_events(location, events);
        }
    }
    for process in run.ranks.len()..processes.count() {
        EventWriter::begin(&archive, processes.add(process, 0))?.finish()?;
    }
    archive.end_events(processes.locations())?;
    let writer = DefinitionWriter::begin(&archive)?;
    writer.clock(length + 1, realtime(run, &set, origin))?;
    global_definitions::write(definitions, writer, &processes, &communicators)?;
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

/// A rank's part of the archive, once it is written.
struct WrittenRank {
    /// Time of the last event.
    last: u64,
    /// Number of regions that were cut.
    cut: u64,
    sums: ExportSums,
    /// Numbers of events, by location.
    events: Vec<(u64, u64)>,
}

/// Writes the events of a rank.
fn one_rank(
    archive: &Archive<'_>,
    set: &DataSet<'_>,
    mut told: SelectedEvents<'_>,
    plan: RankPlan,
) -> Result<WrittenRank, Error> {
    let RankPlan { at, empty, threads: plans, regions } = plan;
    told.sums.regions = regions;
    if let Some(location) = empty {
        EventWriter::begin(archive, location)?.finish()?;
    }
    let rank = &set.run.ranks[at];
    let mut threads = Vec::new();
    let locations: Vec<u64> = plans.iter().map(|plan| plan.location).collect();
    for (thread, plan) in set.threads(at).iter().zip(plans) {
        let roles = Roles::of(set.run, told.objects, set.run.call_sites(), at);
        threads.push(ThreadEvents {
            stream: Stream::whole(thread, rank, &told.common_clock.lines[at], roles),
            meanings: plan.meanings,
            nesting: Nesting::new(plan.regions),
            samples: plan.samples,
            events: EventWriter::begin(archive, plan.location)?,
        });
    }
    RankEvents::new(&mut told, at as u32).tell(&mut threads)?;
    let mut written = WrittenRank { last: 0, cut: 0, sums: told.sums, events: Vec::new() };
    for (mut thread, location) in threads.into_iter().zip(locations) {
        thread.sampled(i64::MAX, told.origin)?;
        thread.nesting.until(u64::MAX, &mut thread.events)?;
        written.last = written.last.max(thread.events.last());
        written.cut += thread.nesting.cut;
        written.events.push((location, thread.events.finish()?));
    }
    Ok(written)
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
