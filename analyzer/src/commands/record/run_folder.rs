//! The run's folder while the launch runs: it may be moved or removed, and ranks that initialize MPI later make it anew.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A folder by its path, and itself.
pub struct RunFolder {
    path: PathBuf,
    open: Option<File>,
}

/// Where a folder is.
pub enum Whereabouts {
    /// Where it was.
    There,
    /// It has another path.
    Moved(PathBuf),
    /// It is not to be found.
    Gone,
}

impl RunFolder {
    /// The folder that has the path now.
    pub fn at(path: &Path) -> RunFolder {
        RunFolder { path: path.into(), open: File::open(path).ok() }
    }

    /// Where it was.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is.
    pub fn whereabouts(&self) -> Whereabouts {
        let there = fs::metadata(&self.path);
        let Some(open) = &self.open else {
            return if there.is_ok() { Whereabouts::There } else { Whereabouts::Gone };
        };
        let is_it = |found: io::Result<Metadata>| is_same(open.metadata(), found);
        // The system follows a folder that is open by its new names.
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
