//! The folder of a run: its name, the names of its files, and the claim by which no run overwrites another.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::file::NO_RANK;
use crate::run_notes::{MESSAGES, STARTED};

pub const EXTENSION: &str = "ovh";

/// The name of the recorder's copy in a run's folder.
pub const RECORDER: &str = "liboverhear.so";

/// Limit on the numbers that are tried if a name is taken.
const TRIES: u32 = 10_000;

/// The name of a rank's file. World 0 is the one that the launcher started; others were spawned.
pub fn file_name(world: u32, rank: u32) -> String {
    file_name_of(std::process::id(), world, rank)
}

/// Like [`file_name`], for a process that need not be this one.
pub fn file_name_of(process: u32, world: u32, rank: u32) -> String {
    match (world, rank) {
        (0, NO_RANK) => format!("process-{process}.{EXTENSION}"),
        (0, rank) => format!("rank-{rank:04}.{EXTENSION}"),
        (world, rank) => format!("world-{world}-rank-{rank:04}.{EXTENSION}"),
    }
}

/// The name of a file whose process does not know its rank yet.
pub fn starting_file_name(host: &str, process: u32) -> String {
    format!("starting-{host}-{process}.{EXTENSION}")
}

/// The name of a file of all processes of a launch on a host, until they know their ranks.
pub fn starting_node_name(host: &str, launch: u64) -> String {
    format!("starting-{host}-{launch:016x}.{EXTENSION}")
}

/// The name of a file of a host's processes: the first, the second one, and so on.
pub fn node_name(host: &str, number: u32) -> String {
    match number {
        1 => format!("node-{host}.{EXTENSION}"),
        number => format!("node-{host}-{number}.{EXTENSION}"),
    }
}

/// The name of the log of a launch, by the process in front of the launcher.
pub fn launch_log_name(host: &str, process: u32) -> String {
    format!("{LAUNCH_LOG}{host}-{process}.jsonl")
}

const LAUNCH_LOG: &str = "launch-";

/// True if a file is the log of a launch, as its name says.
pub fn is_launch_log(name: &str) -> bool {
    name.starts_with(LAUNCH_LOG) && name.ends_with(".jsonl")
}

/// True if a file is one process's, as its name says.
pub fn is_of_one_process(name: &str) -> bool {
    ["rank-", "world-", "process-"].iter().any(|begin| name.starts_with(begin))
}

/// The name of an empty file by which the world `world` is taken, or in world 0 the place of the first rank of those that
/// record together: no other program of the launch then records there.
pub fn claim_name(world: u32, rank: u32) -> String {
    match world {
        0 => format!(".rank-{rank:04}"),
        world => format!(".world-{world}"),
    }
}

/// The name of a run's folder if the user gives none: by program and local time.
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
    String::from_utf8_lossy(text.get(..length).unwrap_or_default()).into_owned()
}

/// A path as the user would type it in a shell, quoted if necessary.
pub fn as_typed(folder: &Path) -> String {
    let path = folder.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '=' | ':' | ',' | '@' | '%');
    let quoted = || format!("'{}'", path.replace('\'', r"'\''"));
    if path.starts_with('-') {
        format!("./{}", quoted())
    } else if path.chars().all(plain) {
        path.into_owned()
    } else {
        quoted()
    }
}

/// The file that says which run a folder belongs to, by its identity in hexadecimal digits.
pub const CLAIM: &str = ".run";

/// The longest time from making a claim to writing it.
const WRITING: Duration = Duration::from_secs(1);

/// Claims a folder for a run: the one wanted, or the first numbered one that is new, empty, or already claimed by this
/// run. Several runs at the same time get different folders; all processes of one run get the same one.
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

/// The run that a folder belongs to, if the folder says so.
pub fn run_of(folder: &Path) -> Option<[u8; 16]> {
    let text = fs::read_to_string(folder.join(CLAIM)).ok()?;
    u128::from_str_radix(text.trim_end(), 16).ok().map(u128::to_be_bytes)
}

/// Removes a folder that nothing was recorded into.
pub fn give_back(folder: &Path) {
    let is_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        [CLAIM, RECORDER, MESSAGES, STARTED].contains(&&*name) || is_launch_log(&name)
    };
    let names = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    let names: Vec<OsString> = names.unwrap_or_default();
    if names.iter().all(is_ours) {
        for ours in names {
            let _ = fs::remove_file(folder.join(ours));
        }
        let _ = fs::remove_dir(folder);
    }
}

/// Gives a file another name, unless another file has that one.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), Error> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Network file systems do not know how, nor do kernels before 3.15.
        Err(Errno::INVAL | Errno::NOSYS) => rename_reserved(from, to),
        renamed => Ok(renamed?),
    }
}

/// Like [`rename_new`], but an empty file reserves the name, and is all that is replaced. The empty file stays if the
/// process is killed in between.
pub fn rename_reserved(from: &Path, to: &Path) -> Result<(), Error> {
    from.symlink_metadata()?;
    File::create_new(to).and_then(|_| fs::rename(from, to))
}

/// True if the folder belongs to this run. A folder that belongs to no run is claimed for it.
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
        // The folder's content is either not from a run, or from one that is claiming the folder at this moment.
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
    // A full disk may have room for a folder but not for a file in it.
    if made.is_ok() {
        let _ = fs::remove_dir(folder);
    }
    Err(error)
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// The content of a claim once it is written; empty if there is no claim.
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
