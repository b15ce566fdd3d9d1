//! Finds copies in a run's folder: files of one process under several names. The name that the process gave its file is
//! the one that counts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::path::Path;

use crate::file::{FINALIZED, FileHeader, NO_RANK};
use crate::folder;

/// Tells a process of a run from all others.
#[derive(PartialEq, Eq, Hash)]
enum ProcessKey {
    OfRank {
        run: [u8; 16],
        world: u32,
        rank: u32,
    },
    /// A process that knows no rank is told by its id, and by the clocks when its recording began.
    Unranked {
        pid: u32,
        ticks: u64,
        realtime: u64,
    },
}

impl ProcessKey {
    fn of(header: &FileHeader) -> ProcessKey {
        let FileHeader { run, world, rank, pid, begin, .. } = *header;
        match rank {
            NO_RANK => ProcessKey::Unranked { pid, ticks: begin.ticks, realtime: begin.realtime },
            rank => ProcessKey::OfRank { run, world, rank },
        }
    }
}

/// For each file, the place of the one that it is a copy of, if it is a copy.
pub fn copies(files: &[(&Path, &FileHeader)]) -> Vec<Option<usize>> {
    let mut originals: HashMap<ProcessKey, usize> = HashMap::new();
    for (at, (path, header)) in files.iter().enumerate() {
        match originals.entry(ProcessKey::of(header)) {
            Entry::Vacant(place) => drop(place.insert(at)),
            Entry::Occupied(mut place) => {
                let (other_path, other_header) = files[*place.get()];
                if order(path, header) < order(other_path, other_header) {
                    place.insert(at);
                }
            }
        }
    }
    let original = |at: usize| originals.get(&ProcessKey::of(files[at].1)).copied().filter(|other| *other != at);
    (0..files.len()).map(original).collect()
}

/// The original sorts first: the file with its own name, else one that says more, else the one with the shorter name.
fn order<'a>(path: &'a Path, header: &FileHeader) -> (bool, bool, usize, &'a OsStr) {
    let own = folder::file_name_of(header.pid, header.world, header.rank);
    let has_own_name = path.file_name() == Some(OsStr::new(&own));
    let is_finalized = header.state & FINALIZED != 0;
    (!has_own_name, !is_finalized, path.as_os_str().len(), path.as_os_str())
}
