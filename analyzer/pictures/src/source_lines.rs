//! The source lines of a run's call sites, as far as they lie on this machine.
//!
//! In: a run. Out: a line's text by its place, `halo.c:112`. The run names the files, and a stranger may have made it: only regular
//! files are read whose names end as those of source do, and few bytes of them are taken.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Run;
use traces::regular;

/// Text of lines by their places.
pub type SourceLines = BTreeMap<String, String>;

/// Endings of names.
const SOURCE: [&str; 22] = [
    "c", "cc", "cpp", "cxx", "c++", "cu", "h", "hh", "hpp", "hxx", "inl", "f", "for", "ftn", "f77", "f90", "f95",
    "f03", "f08", "py", "jl", "rs",
];
/// Files, bytes of each, and letters of a line, at most.
const FILES: usize = 200;
const BYTES: u64 = 4 << 20;
const LETTERS: usize = 200;

/// Reads the lines of the selected ranks' call sites. A file that changed after the run began has other lines by now: it is left
/// out, as are two files of one name that differ there.
pub fn source_lines(run: &Run) -> SourceLines {
    let began = UNIX_EPOCH + Duration::from_nanos(run.first().header.begin.realtime);
    let mut lines = SourceLines::new();
    let mut unclear = BTreeSet::new();
    for (path, numbers) in wanted(run).into_iter().take(FILES) {
        let Some(text) = text(path, began) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for (at, line) in text.lines().enumerate().filter(|(at, _)| numbers.contains(&(*at as u32 + 1))) {
            let (place, line) = (format!("{name}:{}", at + 1), short(line));
            if lines.get(&place).is_some_and(|other| *other != line) {
                unclear.insert(place.clone());
            }
            lines.insert(place, line);
        }
    }
    lines.retain(|place, line| !line.is_empty() && !unclear.contains(place));
    lines
}

/// Numbers of lines, by file.
fn wanted(run: &Run) -> BTreeMap<&Path, BTreeSet<u32>> {
    let mut wanted: BTreeMap<&Path, BTreeSet<u32>> = BTreeMap::new();
    for rank in run.asked() {
        for (_, path, line) in rank.calling_sites().into_iter().filter_map(|site| run.sites.in_source(rank, site)) {
            wanted.entry(Path::new(path)).or_default().insert(line);
        }
    }
    wanted.retain(|path, _| is_source(path));
    wanted
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    path.is_absolute() && ending.is_some_and(|ending| SOURCE.contains(&ending.as_str()))
}

fn text(path: &Path, began: SystemTime) -> Option<String> {
    let file = regular::open(path).ok()?;
    let is_of_run = file.metadata().ok()?.modified().ok()? <= began;
    let mut text = Vec::new();
    file.take(BYTES).read_to_end(&mut text).ok()?;
    is_of_run.then(|| String::from_utf8_lossy(&text).into_owned())
}

/// A line without the space around it, and no longer than a page shows.
fn short(line: &str) -> String {
    let line = line.trim();
    let shown: String = line.chars().take(LETTERS).collect();
    if shown.len() < line.len() { format!("{shown}…") } else { shown }
}
