//! Opens files that others may have made, but only regular ones: opening a FIFO blocks, and a device may act.

use std::fs::{self, File, FileType, Metadata};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading, following links. Fails at once for anything else.
pub fn open(path: &Path) -> Result<File, Error> {
    is_regular(&fs::metadata(path)?)?;
    // Another file may have taken its place by now: open without blocking, and check again.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    is_regular(&file.metadata()?)?;
    Ok(file)
}

fn is_regular(metadata: &Metadata) -> Result<(), Error> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("{}, not a file: passed over", kind(metadata.file_type()))))
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}
