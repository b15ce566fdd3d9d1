//! The folder of a run: what it and its files are called, and that no run overwrites another.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file::NO_RANK;

/// The ending of a rank's file.
pub const EXTENSION: &str = "ovh";

/// How often a name that is taken is tried with the next number behind it.
const TRIES: u32 = 10_000;

/// The name of a rank's file. World 0 is the one the launcher started, others were spawned.
pub fn file_name(world: u32, rank: u32) -> String {
    match (world, rank) {
        (0, NO_RANK) => format!("process-{}.{EXTENSION}", std::process::id()),
        (0, rank) => format!("rank-{rank:04}.{EXTENSION}"),
        (world, rank) => format!("world-{world}-rank-{rank:04}.{EXTENSION}"),
    }
}

/// The name of a file whose process does not know its rank yet.
pub fn starting_file_name(host: &str) -> String {
    format!("starting-{host}-{}.{EXTENSION}", std::process::id())
}

/// Whether a file is of a process that never learned its rank.
pub fn is_starting(file_name: &str) -> bool {
    file_name.trim_start_matches(".overhear-").starts_with("starting-")
}

/// The name a run's folder has where the user gave none: by program and local time.
pub fn default_name(program: &str) -> String {
    format!("overhear-{program}-{}", now())
}

fn now() -> String {
    let mut text = [0u8; 32];
    // SAFETY: all are out parameters of the right type, and the buffer is as long as it says.
    let length = unsafe {
        let time = libc::time(std::ptr::null_mut());
        let mut parts: libc::tm = std::mem::zeroed();
        libc::localtime_r(&time, &mut parts);
        libc::strftime(text.as_mut_ptr().cast(), text.len(), c"%Y%m%d-%H%M%S".as_ptr(), &parts)
    };
    String::from_utf8_lossy(&text[..length]).into_owned()
}

/// Makes a folder that did not exist, with those it is in, or takes one that is empty: the one wanted, or the first that is
/// free with a number behind it.
pub fn fresh(wanted: &Path) -> Result<PathBuf, Error> {
    fs::create_dir_all(wanted.parent().unwrap_or(Path::new("/")))?;
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..TRIES).map(|number| wanted.with_file_name(format!("{name}-{number}")));
    for folder in std::iter::once(wanted.to_path_buf()).chain(numbered) {
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none()) => return Ok(folder),
            Err(_) => {}
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
