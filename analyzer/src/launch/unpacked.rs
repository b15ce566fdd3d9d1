//! Writes the library embedded in the command to a folder, under its hash.
//!
//! In: its bytes and a folder. Out: a file with exactly these bytes, which only the user can change. Any number of
//! processes may do this at once.

use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};

use model::output::OutputFolder;

/// Finds or writes the file. Fails with the folder and what is wrong with it.
pub fn unpack(bytes: &[u8], folder: &Path) -> Result<PathBuf, String> {
    written(bytes, folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn written(bytes: &[u8], folder: &Path) -> io::Result<PathBuf> {
    check_path(folder)?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check_mount(folder)?;
    let own = || {
        let is_folder = fs::symlink_metadata(folder)?.is_dir();
        let own = OutputFolder::own(folder).filter(|_| is_folder);
        own.ok_or_else(|| io::Error::other("is a link, or others may write into it"))
    };
    let name = file_name(bytes);
    if !own()?.holds(&name, bytes) {
        // A process on another host may have loaded the existing file, and would lose it if it were replaced.
        let added = own()?.add(&name, bytes);
        if !own()?.holds(&name, bytes) {
            added.or_else(|_| own()?.write(&name, bytes))?;
        }
    }
    match own()?.holds(&name, bytes) {
        true => Ok(folder.join(name)),
        false => Err(io::Error::other("what was written there is not what is read back")),
    }
}

/// LD_PRELOAD can name a file in this folder.
pub fn check_path(folder: &Path) -> io::Result<()> {
    // The dynamic linker would read two names.
    match folder.as_os_str().as_encoded_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        true => Err(io::Error::other("LD_PRELOAD takes no path with a space or colon")),
        false => Ok(()),
    }
}

/// The system loads libraries from this folder: it is not mounted with `noexec`.
pub fn check_mount(folder: &Path) -> io::Result<()> {
    match statvfs(folder)?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        true => Err(io::Error::other("is mounted noexec, so no library is loaded from it")),
        false => Ok(()),
    }
}

/// The hash distinguishes versions; the file's bytes are compared in any case.
fn file_name(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("liboverhear-{:016x}.so", hasher.finish())
}
