//! Opens files that somebody else may have made. What is no regular file is left alone: opening a FIFO waits, and a device may act.

use std::fs::{self, File, FileType, Metadata};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading, by links if need be. Fails at once where it is something else.
pub fn open(path: &Path) -> Result<File, Error> {
    is_regular(&fs::metadata(path)?)?;
    // Another may lie there by now: without a wait, and looked at once more.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    is_regular(&file.metadata()?)?;
    Ok(file)
}

fn is_regular(metadata: &Metadata) -> Result<(), Error> {
    match metadata.is_file() {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::InvalidInput, format!("{}, not a file: passed over", kind(metadata.file_type()))))
        }
    }
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}
