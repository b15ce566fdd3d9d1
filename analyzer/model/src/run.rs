//! Reads the files of a folder as one run, several at a time.

use std::collections::HashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tables::Fact;
use traces::definitions::Span;
use traces::error::Error as TraceError;
use traces::file::{FINALIZED, INITIALIZED};
use traces::folder::{EXTENSION, run_of};
use traces::read::{FileAccess, RankFile, copies, rank_files};
use traces::run_notes;

use super::clock::clocks;
use super::common_clock::CommonClock;
use super::launch_log::Launch;
use super::process::ProcessFate;
use super::rank::Rank;
use super::selection::{Choice, Window, is_starting};
use super::sites::{CallSites, Sites};
use crate::error::Error;
use crate::parallel;

/// A run: the ranks in one folder.
pub struct Run {
    pub folder: PathBuf,
    /// The folder was not named: it is the newest in the working folder.
    pub is_newest: bool,
    /// Selected part of it.
    pub choice: Choice,
    /// Ranks whose files could be read, by world and number; processes without a rank last.
    pub ranks: Vec<Rank>,
    /// Ranks of the first world that have no readable file.
    pub missing: Vec<RangeInclusive<u32>>,
    /// Ranks of spawned worlds that have no readable file, by world.
    pub missing_spawned: Vec<(u32, Vec<RangeInclusive<u32>>)>,
    /// Ranks of the first world that were not recorded.
    pub unrecorded: Vec<RangeInclusive<u32>>,
    /// Files that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Its launches, as the processes in front of their launchers saw them.
    pub launches: Vec<Launch>,
    /// Messages of processes about their recording.
    pub messages: Vec<String>,
    /// Copies of other files in the folder, which are left out, in words.
    pub copies: Vec<String>,
    /// Names of its call sites.
    pub sites: Sites,
    call_sites: OnceLock<CallSites>,
    facts: OnceLock<Vec<Fact>>,
    warnings: OnceLock<Vec<String>>,
}

impl Run {
    pub fn load(folder: &Path) -> Result<Run, Error> {
        Run::select(folder, &Choice::default())
    }

    /// Reads the chosen part of a run.
    pub fn select(folder: &Path, choice: &Choice) -> Result<Run, Error> {
        Run::select_watched(folder, choice, &|_, _| {})
    }

    /// Reads the chosen part of a run. Any thread calls `watch` with the bytes read and the total.
    pub fn select_watched(folder: &Path, choice: &Choice, watch: &(dyn Fn(u64, u64) + Sync)) -> Result<Run, Error> {
        let (traces, unreadable) = open(folder)?;
        let (traces, copies) = without_copies(traces);
        let traces: Vec<Arc<RankFile>> = traces.into_iter().map(kept_still).collect();
        let bytes = traces.iter().map(|trace| trace.len()).sum();
        let drops = choice.kept && traces.iter().any(|trace| trace.header().keeps_newest());
        let windows = if choice.has_window() || drops { windows(&traces, choice) } else { Vec::new() };
        let done = AtomicU64::new(0);
        let watch = |more| watch(done.fetch_add(more, Relaxed) + more, bytes);
        let whole = choice.whole || traces.iter().any(|trace| is_without_span(trace, choice));
        let mut ranks = read(traces, &Choice { whole, ..choice.clone() }, &windows, &watch);
        if ranks.is_empty() && unreadable.is_empty() {
            return Err(Error::NotBegun { folder: folder.into() });
        }
        if ranks.is_empty() {
            return Err(Error::AllUnreadable { folder: folder.into(), reasons: unreadable });
        }
        ranks.sort_by_cached_key(order);
        one_run(folder, &ranks)?;
        has_region(folder, &ranks, choice)?;
        has_ranks(&ranks, choice)?;
        let (missing, unrecorded) = absent(&ranks);
        let missing_spawned = absent_of_spawned(&ranks);
        let sites = Sites::load(folder, &ranks, !choice.no_cache).named(&ranks, &choice.naming);
        let own = ranks.iter().map(|rank| rank.header.run).find(|run| *run != [0; 16]);
        let launches = own.or_else(|| run_of(folder)).map_or(Vec::new(), |run| Launch::all_of(folder, &run));
        let messages = run_notes::messages(folder);
        let (folder, choice) = (folder.into(), choice.clone());
        let (call_sites, facts, warnings) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let is_newest = false;
        let run = Run {
            folder,
            is_newest,
            choice,
            ranks,
            missing,
            missing_spawned,
            unrecorded,
            unreadable,
            launches,
            messages,
            copies,
            sites,
            call_sites,
            facts,
            warnings,
        };
        run.reaches(run.choice.from)?;
        Ok(run)
    }

    /// The numbers of call sites in all analyses of the run; the first analysis makes them.
    pub fn call_sites(&self) -> &CallSites {
        self.call_sites.get_or_init(|| CallSites::of(&self.sites, &self.ranks, None))
    }

    /// The facts that all reports of the run share; the first report computes them.
    pub fn cached_facts(&self, compute: impl FnOnce(&Run) -> Vec<Fact>) -> Vec<Fact> {
        self.facts.get_or_init(|| compute(self)).clone()
    }

    /// The warnings that all reports of the run share; the first report computes them.
    pub fn cached_warnings(&self, compute: impl FnOnce(&Run) -> Vec<String>) -> Vec<String> {
        self.warnings.get_or_init(|| compute(self)).clone()
    }

    /// The clock that all ranks' ticks are converted to.
    pub fn common_clock(&self) -> CommonClock {
        CommonClock::of(&self.ranks)
    }

    /// True if starting and ending MPI counts without the user's choice, since a rank is still starting.
    pub fn is_starting(&self) -> bool {
        !self.choice.whole && self.asked().any(|rank| rank.is_starting)
    }

    /// Fails if a time, in nanoseconds on the common clock, is after the end of every rank.
    pub fn reaches(&self, from: Option<i64>) -> Result<(), Error> {
        let Some(from) = from else { return Ok(()) };
        let lines = self.common_clock().lines;
        let end = self.ranks.iter().zip(&lines).map(|(rank, line)| line.nanoseconds_at(rank.until)).max();
        match end.filter(|end| from > *end) {
            Some(end) => Err(Error::BeyondEnd { from: from as f64 / 1e9, length: end as f64 / 1e9 }),
            None => Ok(()),
        }
    }

    /// The selected ranks.
    pub fn asked(&self) -> impl Iterator<Item = &Rank> {
        self.ranks.iter().filter(|rank| rank.is_asked)
    }

    /// The selected ranks with their places in the run.
    pub fn asked_places(&self) -> impl Iterator<Item = (usize, &Rank)> {
        self.ranks.iter().enumerate().filter(|(_, rank)| rank.is_asked)
    }

    /// Number of ranks of the run: the size of the launched world, or the number of files here if there are more.
    pub fn size(&self) -> u32 {
        self.worlds().get(&0).copied().unwrap_or(0).max(self.ranks.len() as u32)
    }

    pub fn worlds(&self) -> BTreeMap<u32, u32> {
        worlds(&self.ranks)
    }

    /// Rank by which reports describe the run.
    pub fn first(&self) -> &Rank {
        &self.ranks[0]
    }

    /// True if some rank recorded single calls.
    pub fn records_calls(&self) -> bool {
        self.ranks.iter().any(|rank| !rank.header.is_only_profile())
    }

    /// Fails if what is `asked` for needs single calls and no rank recorded them.
    pub fn needs_calls(&self, asked: &'static str) -> Result<(), Error> {
        match self.records_calls() {
            true => Ok(()),
            false => Err(Error::OnlyProfile { folder: self.folder.clone(), asked }),
        }
    }

    /// True if the process of some rank still runs.
    pub fn goes_on(&self) -> bool {
        self.ranks.iter().any(|rank| rank.fate == ProcessFate::Runs)
    }

    /// True if each recorded rank has a readable file.
    pub fn is_every_file_here(&self) -> bool {
        self.missing.is_empty() && self.missing_spawned.is_empty() && self.unreadable.is_empty()
    }

    /// True if the data of the run is not complete.
    pub fn is_partial(&self) -> bool {
        let cut = |rank: &Rank| {
            !rank.is_finalized() || !rank.damage.is_empty() || rank.header.lost > 0 || rank.is_cut_short()
        };
        !self.is_every_file_here() || self.ranks.iter().any(cut)
    }
}

/// Trace files of a folder, and the members of its node files, sorted by name.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = rank_files(folder).map_err(|source| Error::NoFolder { folder: folder.into(), source })?;
    if files.is_empty() {
        let reasons = run_notes::messages(folder);
        if !reasons.is_empty() {
            return Err(Error::Unrecorded { folder: folder.into(), reasons });
        }
        if run_of(folder).is_some() {
            return Err(Error::NotBegun { folder: folder.into() });
        }
        let runs = runs_in(folder);
        let folder = folder.into();
        return Err(if runs.is_empty() { Error::NoTraces { folder } } else { Error::FolderOfRuns { folder, runs } });
    }
    leave_out_second_names(&mut files);
    Ok(files)
}

/// Runs that an error lists.
const MOST_NAMED: usize = 10;

/// The folders in `folder` that hold traces, a line each; of many, the first by name and the number of the others.
fn runs_in(folder: &Path) -> Vec<String> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if rank_files(&entry.path()).is_ok_and(|files| !files.is_empty()) {
            runs.push(traces::folder::as_typed(&entry.path()));
        }
    }
    runs.sort_unstable();
    if runs.len() > MOST_NAMED {
        let more = runs.len() - MOST_NAMED;
        runs.truncate(MOST_NAMED);
        runs.push(format!("and {more} more"));
    }
    runs
}

/// Drops the first name of a file that a rank is renaming: for a moment it has both, and the final name sorts last.
fn leave_out_second_names(files: &mut Vec<PathBuf>) {
    let is_final =
        |file: &PathBuf| file.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"process-"));
    if files.iter().all(is_final) {
        return;
    }
    let mut seen = HashSet::new();
    let identity = |file: &PathBuf| fs::metadata(file).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    files.reverse();
    files.retain(|file| identity(file).is_none_or(|identity| seen.insert(identity)));
    files.reverse();
}

/// Sort key of the ranks in a run.
pub fn order(rank: &Rank) -> (bool, u32, Option<u32>, u32) {
    (rank.number().is_none(), rank.header.world, rank.number(), rank.header.pid)
}

/// Maximum number of times that a folder is listed.
const LISTED: usize = 5;

/// Maps the files; returns the reasons for those that failed. A file that is gone before it is opened has its final name by now,
/// so the folder is listed again.
fn open(folder: &Path) -> Result<(Vec<Arc<RankFile>>, Vec<String>), Error> {
    let is_gone = |opened: &Result<RankFile, TraceError>| matches!(opened, Err(TraceError::Io { source, .. }) if source.kind() == ErrorKind::NotFound);
    let mut paths = files(folder)?;
    let mut opened = open_all(&paths);
    for _ in 1..LISTED {
        if !opened.iter().any(is_gone) {
            break;
        }
        paths = files(folder)?;
        opened = open_all(&paths);
    }
    let (mut traces, mut unreadable) = (Vec::new(), Vec::new());
    for (path, trace) in paths.iter().zip(opened) {
        match trace {
            Ok(trace) => traces.push(Arc::new(trace)),
            Err(_) if is_beginning(path) => {}
            // All files behind it have the same error.
            Err(error @ TraceError::TooManyMappings { .. }) => return Err(error.into()),
            Err(error) => unreadable.push(error.to_string()),
        }
    }
    Ok((traces, unreadable))
}

/// The longest time from making a file to writing its header.
const BEGINNING: Duration = Duration::from_secs(1);

/// True for the file of a process that has just made it, and is about to write the header.
fn is_beginning(path: &Path) -> bool {
    let age = || fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    let is_starting = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"starting-"));
    is_starting && age().is_some_and(|age| age < BEGINNING)
}

/// Leaves out copies of other files, and says of which.
fn without_copies(traces: Vec<Arc<RankFile>>) -> (Vec<Arc<RankFile>>, Vec<String>) {
    let files: Vec<_> = traces.iter().map(|trace| (trace.path(), trace.header())).collect();
    let originals = copies(&files);
    let mut said = BTreeSet::new();
    for ((path, _), original) in files.iter().zip(&originals) {
        if let Some(original) = original.map(|at| files[at].0) {
            let (copy, original) = (name_in_folder(path), name_in_folder(original));
            said.insert(format!("{copy} is left out: it is a copy of {original}"));
        }
    }
    let kept = traces.iter().zip(&originals).filter(|(_, original)| original.is_none());
    (kept.map(|(trace, _)| Arc::clone(trace)).collect(), said.into_iter().collect())
}

/// The name of a file in the run's folder; of a member the node file's.
fn name_in_folder(path: &Path) -> String {
    let node = path.parent().filter(|parent| parent.extension().is_some_and(|ending| ending == EXTENSION));
    node.unwrap_or(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn open_all(files: &[PathBuf]) -> Vec<Result<RankFile, TraceError>> {
    let access = FileAccess::of_run(files.len());
    parallel::map(files.len(), |at| RankFile::open_by(&files[at], access))
}

/// Copies the file of a running process that drops records, since the file would change while it is read.
fn kept_still(trace: Arc<RankFile>) -> Arc<RankFile> {
    let header = trace.header();
    if !header.keeps_newest() || header.state & FINALIZED != 0 || Rank::open(&trace).fate != ProcessFate::Runs {
        return trace;
    }
    match trace.copied() {
        Ok(copy) => Arc::new(copy),
        // Without the memory for a copy, parts of it may be lost, which is reported.
        Err(_) => trace,
    }
}

/// The selected time of each rank in its own ticks, by the common clock.
fn windows(traces: &[Arc<RankFile>], choice: &Choice) -> Vec<Option<Window>> {
    let described = parallel::map(traces.len(), |at| Rank::open(&traces[at]));
    let mut known: Vec<(usize, Rank)> = described.into_iter().enumerate().collect();
    known.sort_by_cached_key(|(_, rank)| order(rank));
    let (places, ranks): (Vec<usize>, Vec<Rank>) = known.into_iter().unzip();
    let common_clock = CommonClock::of(&ranks);
    let kept =
        ranks.iter().zip(&common_clock.lines).filter_map(|(rank, line)| Some(line.nanoseconds_at(rank.kept_from?)));
    let from = choice.from.max(if choice.kept { kept.max() } else { None });
    let mut windows = vec![None; traces.len()];
    for (at, line) in places.iter().zip(&common_clock.lines) {
        let tick = |time: Option<i64>, none| time.map_or(none, |time| line.ticks_at(time));
        windows[*at] = Some((tick(from, 0), tick(choice.to, u64::MAX)));
    }
    windows
}

/// True for a selected rank without time between starting MPI and ending it.
fn is_without_span(trace: &RankFile, choice: &Choice) -> bool {
    let header = trace.header();
    header.state & INITIALIZED == 0 && choice.has_rank(header) && is_starting(&trace.contents(), header)
}

fn read(
    traces: Vec<Arc<RankFile>>,
    choice: &Choice,
    windows: &[Option<Window>],
    watch: &(dyn Fn(u64) + Sync),
) -> Vec<Rank> {
    let window = |at: usize| windows.get(at).copied().flatten();
    // All running processes count until the same moment.
    let now = clocks().0;
    parallel::map_each(traces.into_iter().enumerate(), |(at, trace)| {
        let mut rank = Rank::load(trace, choice, window(at), now, watch);
        rank.let_go();
        rank
    })
}

/// Fails if the files are of several runs. A rank that never learned its run's identity belongs to any.
fn one_run(folder: &Path, ranks: &[Rank]) -> Result<(), Error> {
    let mut runs: BTreeMap<[u8; 16], Vec<&str>> = BTreeMap::new();
    for rank in ranks.iter().filter(|rank| rank.header.run != [0; 16]) {
        runs.entry(rank.header.run).or_default().push(&rank.file);
    }
    if runs.len() < 2 {
        return Ok(());
    }
    let line = |(run, files): (&[u8; 16], &Vec<&str>)| {
        let id: String = run.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let shown = files.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        format!("run {id}...: {shown}{}", if files.len() > 4 { ", ..." } else { "" })
    };
    Err(Error::Mixed { folder: folder.into(), runs: runs.iter().map(line).collect() })
}

/// Fails if the run lacks a selected rank, or none of the selected ranks has a file.
fn has_ranks(ranks: &[Rank], choice: &Choice) -> Result<(), Error> {
    let Some(asked) = &choice.ranks else { return Ok(()) };
    let size = worlds(ranks).values().copied().max().unwrap_or(0);
    match ranks.iter().any(|rank| rank.is_asked) {
        _ if asked.last() >= size => Err(Error::NoRank { rank: asked.last(), size }),
        true => Ok(()),
        false => Err(Error::Other(format!("none of ranks {asked} has a readable file"))),
    }
}

/// Fails if no rank has the selected region.
fn has_region(folder: &Path, ranks: &[Rank], choice: &Choice) -> Result<(), Error> {
    let Some(region) = &choice.region else { return Ok(()) };
    let regions = ranks.iter().flat_map(|rank| rank.regions.values());
    let names: BTreeSet<String> = regions.map(|region| region.name.clone()).collect();
    match names.contains(region) {
        true => Ok(()),
        false => Err(Error::no_region(folder, region, names)),
    }
}

fn worlds(ranks: &[Rank]) -> BTreeMap<u32, u32> {
    let mut worlds = BTreeMap::new();
    for rank in ranks {
        let size = worlds.entry(rank.header.world).or_default();
        *size = rank.header.size.max(*size);
    }
    worlds
}

/// Ranks of the first world without a file: the missing ones, and those that the other ranks' lists show as not recorded.
fn absent(ranks: &[Rank]) -> (Vec<RangeInclusive<u32>>, Vec<RangeInclusive<u32>>) {
    let size = worlds(ranks).get(&0).copied().unwrap_or(0);
    let first_world = || ranks.iter().filter(|rank| rank.header.world == 0 && rank.number().is_some());
    let there: Vec<_> = first_world().filter_map(Rank::number).map(|number| number..=number).collect();
    let without_file = gaps(there.iter().cloned(), size);
    let all_recorded = |rank: &Rank| rank.recorded.is_none() && rank.header.state & INITIALIZED != 0;
    let lists: Vec<_> = first_world().filter_map(|rank| rank.recorded.as_ref()).flatten().filter_map(range).collect();
    if lists.is_empty() || first_world().any(all_recorded) {
        return (without_file, Vec::new());
    }
    let unrecorded = gaps(lists.into_iter().chain(there.iter().cloned()), size);
    let missing = gaps(there.into_iter().chain(unrecorded.iter().cloned()), size);
    (missing, unrecorded)
}

/// Ranks of spawned worlds without a file, where all ranks of the world were recorded.
fn absent_of_spawned(ranks: &[Rank]) -> Vec<(u32, Vec<RangeInclusive<u32>>)> {
    let mut missing = Vec::new();
    for (world, size) in worlds(ranks).into_iter().filter(|(world, _)| *world > 0) {
        let of_world = || ranks.iter().filter(|rank| rank.header.world == world);
        let there = of_world().filter_map(Rank::number).map(|number| number..=number);
        let without_file = gaps(there, size);
        if !without_file.is_empty() && of_world().all(|rank| rank.recorded.is_none()) {
            missing.push((world, without_file));
        }
    }
    missing
}

/// The range of a span without gaps.
fn range(span: &Span) -> Option<RangeInclusive<u32>> {
    let first = u32::try_from(span.first).ok()?;
    (span.count == 1 || span.step == 1).then(|| first..=first.saturating_add(span.count.saturating_sub(1)))
}

/// Numbers below `size` that no range covers.
pub fn gaps(ranges: impl Iterator<Item = RangeInclusive<u32>>, size: u32) -> Vec<RangeInclusive<u32>> {
    let mut ranges: Vec<_> = ranges.filter(|range| range.start() <= range.end()).collect();
    ranges.sort_unstable_by_key(|range| *range.start());
    let (mut gaps, mut next) = (Vec::new(), 0);
    for range in ranges.into_iter().filter(|range| *range.start() < size).chain([size..=size]) {
        gaps.extend((next < *range.start()).then(|| next..=range.start() - 1));
        next = next.max(range.end().saturating_add(1));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_rank_and_ranks_in_a_row_are_a_range_and_every_second_one_is_none() {
        let of = |first, count, step| range(&Span { first, count, step });
        assert_eq!(of(3, 1, 7), Some(3..=3));
        assert_eq!(of(3, 4, 1), Some(3..=6));
        assert_eq!(of(0, 3, 2), None);
    }
}
