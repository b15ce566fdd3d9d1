//! Lines that processes leave in a run's folder: messages about their recording, and the runs that they have started.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Error, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::regular;

/// The file of messages that no trace has.
pub const MESSAGES: &str = "messages.txt";

/// The file of the runs that processes of this run have started.
pub const STARTED: &str = ".started";

/// Bytes of either file that are read.
const MOST_READ: u64 = 1 << 16;

/// Adds a line to the messages of a run.
pub fn leave_message(folder: &Path, line: &str) -> Result<(), Error> {
    add_line(&folder.join(MESSAGES), line.as_bytes())
}

/// The messages of a run, each once.
pub fn messages(folder: &Path) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in lines(&folder.join(MESSAGES)) {
        let line = String::from_utf8_lossy(&line).into_owned();
        if !messages.contains(&line) {
            messages.push(line);
        }
    }
    messages
}

/// Adds the folder of a run to those that processes of the run in `folder` have started.
pub fn add_started(folder: &Path, run: &Path) -> Result<(), Error> {
    add_line(&folder.join(STARTED), run.as_os_str().as_bytes())
}

/// The folders of runs that processes of the run in `folder` have started.
pub fn started(folder: &Path) -> Vec<PathBuf> {
    lines(&folder.join(STARTED)).into_iter().map(|line| OsString::from_vec(line).into()).collect()
}

/// Adds a line in one system call, since several processes may add to the file at once.
fn add_line(file: &Path, line: &[u8]) -> Result<(), Error> {
    let mut whole: Vec<u8> = line.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
    whole.push(b'\n');
    File::options().create(true).append(true).open(file)?.write_all(&whole)
}

/// The lines of a regular file; none if there is no such file.
fn lines(file: &Path) -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    let Ok(_) = regular::open(file).and_then(|file| file.take(MOST_READ).read_to_end(&mut bytes)) else {
        return Vec::new();
    };
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}
