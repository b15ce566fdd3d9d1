//! Writes an OTF2 archive: the events of locations, each by one thread, then the definitions of all.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use super::library::{Code, FLUSH, Functions, Handle, LOCKS, MEMORY};
use model::error::Error;
use traces::error::in_words;

/// Name of the archive's files, as in Score-P.
pub const NAME: &str = "traces";
/// Bytes that a writer buffers.
const EVENT_CHUNK: u64 = 1 << 20;
const DEFINITION_CHUNK: u64 = 4 << 20;
/// Free disk space required, in bytes: more than the last writers of definitions buffer together.
const ROOM: u64 = 2 * DEFINITION_CHUNK;

const WRITE: u8 = 0;
const POSIX: u8 = 1;
const NOT_COMPRESSED: u8 = 1;

/// An archive that is being written. Until it is [closed](Archive::close) it lacks the file that readers open first.
pub struct Archive<'a> {
    pub functions: &'a Functions,
    /// The library's handle of the open archive.
    pub handle: Handle,
    path: PathBuf,
}

// SAFETY: the library locks what threads share by the callbacks that it was given.
unsafe impl Sync for Archive<'_> {}

impl<'a> Archive<'a> {
    pub fn create(functions: &'a Functions, folder: &Path) -> Result<Archive<'a>, Error> {
        let path = text(folder.as_os_str().as_bytes());
        let name = text(NAME.as_bytes());
        // SAFETY: both are texts that end in zero.
        let handle = unsafe {
            let (path, name) = (path.as_ptr(), name.as_ptr());
            (functions.open)(path, name, WRITE, EVENT_CHUNK, DEFINITION_CHUNK, POSIX, NOT_COMPRESSED)
        };
        let archive = Archive { functions, handle, path: folder.into() };
        archive.made(handle)?;
        let creator = text(concat!("overhear ", env!("CARGO_PKG_VERSION")).as_bytes());
        // SAFETY: the archive is open, the text ends in zero, and the callbacks live as long as the program.
        unsafe {
            archive.check((functions.set_creator)(handle, creator.as_ptr()))?;
            archive.check((functions.set_flush_callbacks)(handle, &FLUSH, ptr::null_mut()))?;
            archive.check((functions.set_memory_callbacks)(handle, &MEMORY, ptr::null_mut()))?;
            archive.check((functions.set_locks)(handle, &LOCKS, ptr::null_mut()))?;
            archive.check((functions.set_serial)(handle))?;
            archive.check((functions.open_event_files)(handle))?;
        }
        Ok(archive)
    }

    /// Ends the events. Gives each of `locations` locations a file of local definitions, which stays empty but which readers
    /// require.
    pub fn end_events(&self, locations: u64) -> Result<(), Error> {
        let functions = self.functions;
        // SAFETY: the archive is open, and so is everything that is closed here.
        unsafe {
            self.check((functions.close_event_files)(self.handle))?;
            self.check((functions.open_definition_files)(self.handle))?;
            for location in 0..locations {
                let writer = self.made((functions.definition_writer)(self.handle, location))?;
                self.check((functions.close_definition_writer)(self.handle, writer))?;
            }
            self.check((functions.close_definition_files)(self.handle))
        }
    }

    /// Fails if the disk has no room for what writers still buffer, one for each processor at a time. Without room, the library (3.0.2) frees memory twice when the
    /// writer is closed, and aborts the process.
    pub fn has_room(&self) -> Result<(), Error> {
        let full = || Error::Write { path: self.path.clone(), source: rustix::io::Errno::NOSPC.into() };
        let writers = std::thread::available_parallelism().map_or(1, |writers| writers.get() as u64);
        let room = ROOM + writers * EVENT_CHUNK;
        match rustix::fs::statvfs(&self.path) {
            Ok(found) if found.f_blocks > 0 && found.f_bavail.saturating_mul(found.f_frsize) < room => Err(full()),
            _ => Ok(()),
        }
    }

    pub fn close(self) -> Result<(), Error> {
        // SAFETY: nothing uses the archive any more.
        self.check(unsafe { (self.functions.close)(self.handle) })
    }

    /// Fails if the library's return code is an error.
    pub fn check(&self, code: Code) -> Result<(), Error> {
        if code == 0 { Ok(()) } else { Err(self.failed(self.functions.meaning(code))) }
    }

    /// Fails if the library returned a null handle.
    pub fn made(&self, handle: Handle) -> Result<Handle, Error> {
        let failed = || self.failed(in_words(&std::io::Error::last_os_error()));
        if handle.is_null() { Err(failed()) } else { Ok(handle) }
    }

    fn failed(&self, why: String) -> Error {
        Error::Write { path: self.path.clone(), source: std::io::Error::other(why) }
    }
}

/// Converts to a C string, cut at the first zero byte.
pub fn text(bytes: &[u8]) -> CString {
    CString::new(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).unwrap_or_default()
}
