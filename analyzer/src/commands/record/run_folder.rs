//! The run's folder during a launch: it may be moved or removed, and ranks that initialize MPI later create it again.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub struct RunFolder {
    path: PathBuf,
    run: [u8; 16],
    open: Option<File>,
}

pub enum Whereabouts {
    There,
    /// The folder was moved to this path.
    Moved(PathBuf),
    Gone,
}

impl RunFolder {
    /// Opens the folder that has this path now, and belongs to a run.
    pub fn at(path: &Path, run: [u8; 16]) -> RunFolder {
        RunFolder { path: path.into(), run, open: File::open(path).ok() }
    }

    /// The run's identity.
    pub fn run(&self) -> &[u8; 16] {
        &self.run
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn whereabouts(&self) -> Whereabouts {
        let there = fs::metadata(&self.path);
        let Some(open) = &self.open else {
            return if there.is_ok() { Whereabouts::There } else { Whereabouts::Gone };
        };
        let is_it = |found: io::Result<Metadata>| is_same(open.metadata(), found);
        // The system tracks the path of an open folder.
        let now = fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd()));
        match now {
            _ if is_it(there) => Whereabouts::There,
            Ok(now) if is_it(fs::metadata(&now)) => Whereabouts::Moved(now),
            _ => Whereabouts::Gone,
        }
    }
}

fn is_same(one: io::Result<Metadata>, other: io::Result<Metadata>) -> bool {
    let file = |data: Metadata| (data.dev(), data.ino());
    one.is_ok_and(|one| other.is_ok_and(|other| file(one) == file(other)))
}
