//! The folder of a run: what it and its files are called, and that no run overwrites another.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::file::NO_RANK;

/// The ending of a rank's file.
pub const EXTENSION: &str = "ovh";

/// The recorder where the run's folder has a copy of it.
pub const RECORDER: &str = "liboverhear.so";

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

/// A folder as a shell takes it.
pub fn as_typed(folder: &Path) -> String {
    let path = folder.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '=' | ':' | ',' | '@' | '%');
    match path.chars().all(plain) && !path.starts_with('-') {
        true => path.into_owned(),
        false if path.starts_with('-') => format!("./'{}'", path.replace('\'', r"'\''")),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

/// The file that says which run a folder belongs to: its identity in hexadecimal digits.
const CLAIM: &str = ".run";

/// How long whoever has made a claim may take to write it.
const WRITING: Duration = Duration::from_secs(1);

/// Claims a folder for a run: the one wanted, or the first with a number behind it that is new, empty, or claimed by this run.
/// Of several runs at once, one gets each folder; whoever asks for the same run gets the same one.
pub fn claim(wanted: &Path, run: &[u8; 16]) -> Result<PathBuf, Error> {
    if let Some(parent) = wanted.parent() {
        fs::create_dir_all(parent)?;
    }
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..TRIES).map(|number| wanted.with_file_name(format!("{name}-{number}")));
    for folder in std::iter::once(wanted.to_path_buf()).chain(numbered) {
        if is_claimed_by(&folder, run)? {
            return Ok(folder);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Gives a folder back that nothing was recorded into.
pub fn give_back(folder: &Path) {
    const OURS: [&str; 2] = [CLAIM, RECORDER];
    let is_ours = |entry: fs::DirEntry| OURS.iter().any(|ours| entry.file_name() == *ours);
    let only_ours = |mut entries: fs::ReadDir| entries.all(|entry| entry.is_ok_and(is_ours));
    if fs::read_dir(folder).is_ok_and(only_ours) {
        OURS.iter().for_each(|ours| drop(fs::remove_file(folder.join(ours))));
        let _ = fs::remove_dir(folder);
    }
}

/// Whether the folder is this run's, which it becomes where it is nobody's.
fn is_claimed_by(folder: &Path, run: &[u8; 16]) -> Result<bool, Error> {
    let identity = format!("{:032x}\n", u128::from_be_bytes(*run));
    let claim = folder.join(CLAIM);
    if let Ok(found) = fs::read_to_string(&claim).map(|found| wait_for(found, &claim)) {
        return Ok(found == identity);
    }
    let made = fs::create_dir(folder);
    match &made {
        Ok(()) => {}
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return made.map(|()| false),
        // What lies in it was not put there by a run that claims its folder, or by one that does so just now.
        Err(_) if !is_empty(folder) => return Ok(wait_for(String::new(), &claim) == identity),
        Err(_) => {}
    }
    let error = match File::create_new(&claim) {
        Ok(mut file) => match file.write_all(identity.as_bytes()) {
            Ok(()) => return Ok(true),
            Err(error) => {
                let _ = fs::remove_file(&claim);
                error
            }
        },
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Ok(wait_for(String::new(), &claim) == identity);
        }
        Err(error) => error,
    };
    // A full disk has room for a folder at times, and none for what is in it.
    if made.is_ok() {
        let _ = fs::remove_dir(folder);
    }
    Err(error)
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// What a claim says once it is written; nothing where there is none.
fn wait_for(mut found: String, claim: &Path) -> String {
    let began = Instant::now();
    while found.is_empty() && began.elapsed() < WRITING {
        match fs::read_to_string(claim) {
            Ok(text) => found = text,
            Err(_) => break,
        }
        if found.is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    found
}
