//! The library to preload: beside this command, carried in it, or copied to the run's folder.
//!
//! The library that the command carries is unpacked to a file with exactly its bytes, under their hash, which only the user can
//! change. Any number of processes may do this at once.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::fs::{StatVfsMountFlags, statvfs};
use traces::error::in_words;
use traces::folder::RECORDER;
use traces::settings;

use crate::cli::Settings;
use model::error::Error;
use model::output;
use model::output::OutputFolder;

/// The library that this command was built with.
#[cfg(feature = "embed")]
const CARRIED: Option<&[u8]> =
    Some(include_bytes!(env!("OVERHEAR_LIBRARY", "set OVERHEAR_LIBRARY to the path of a liboverhear.so to embed")));
#[cfg(not(feature = "embed"))]
const CARRIED: Option<&[u8]> = None;

pub struct PreloadLibrary {
    pub path: PathBuf,
    /// Why other hosts may not see that file.
    pub warning: Option<String>,
}

/// Finds the library beside this command or in the lib folder beside its folder, or unpacks the one that the command carries.
pub fn library() -> Result<PreloadLibrary, Error> {
    let own = std::env::current_exe().map_err(|error| Error::Other(in_words(&error)))?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    let places = [folder.to_path_buf(), folder.join("../lib"), folder.join("../lib64")];
    let found = places.iter().map(|place| place.join("liboverhear.so")).find(|path| path.exists());
    match (found.and_then(|path| path.canonicalize().ok()), CARRIED) {
        (Some(path), _) => Ok(PreloadLibrary { path, warning: None }),
        (None, Some(bytes)) => carried(bytes),
        (None, None) => Err(Error::Other(format!(
            "there is no liboverhear.so in {} nor in the lib folder beside it. Build it: cargo build --release",
            folder.display()
        ))),
    }
}

/// Unpacks to the user's cache folder, which hosts mostly share, or, if that cannot be written, to a folder for temporary files.
fn carried(bytes: &[u8]) -> Result<PreloadLibrary, Error> {
    const TRY: &str =
        "Set XDG_CACHE_HOME to a folder that you can write, that all hosts see and that is not mounted noexec";
    let cached = output::path().ok_or("neither XDG_CACHE_HOME nor HOME is set".into());
    let refused = match cached.and_then(|folder| unpack(bytes, &folder)) {
        Ok(path) => return Ok(PreloadLibrary { path, warning: None }),
        Err(refused) => refused,
    };
    // SAFETY: asks the system.
    let user = unsafe { libc::geteuid() };
    match unpack(bytes, &std::env::temp_dir().join(format!("overhear-{user}"))) {
        Ok(path) => {
            let warning =
                format!("{refused}: the recorder is {}, which other hosts may not see. {TRY}", path.display());
            Ok(PreloadLibrary { path, warning: Some(warning) })
        }
        Err(also) => Err(Error::Other(format!("there is no place for liboverhear.so: {refused}; {also}. {TRY}"))),
    }
}

/// True if the user asks for a copy in the run's folder.
pub fn is_to_ship(given: &Settings) -> bool {
    given.in_force(settings::SHIP).is_some_and(|value| value == settings::SWITCH[1])
}

/// Copies the library into the run's folder, which every host sees. Fails if no library can be loaded from there.
pub fn ship(library: &PreloadLibrary, folder: &Path) -> Result<PreloadLibrary, Error> {
    let path = folder.join(RECORDER);
    let failed = |error: io::Error| {
        let folder = folder.display();
        Error::Other(format!(
            "--ship: {folder}: {}. Name another folder with --dir, or leave --ship out",
            in_words(&error)
        ))
    };
    let copied = check_path(folder)
        .and_then(|()| check_mount(folder))
        .and_then(|()| fs::read(&library.path))
        .and_then(|bytes| output::write(&path, &bytes));
    copied.map(|()| PreloadLibrary { path, warning: None }).map_err(failed)
}

/// Returns the copy made by a launch in front of this process.
pub fn shipped(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(RECORDER)).filter(|path| path.is_file())
}

/// Error for a missing launch in front of this process.
pub fn no_folder_yet() -> Error {
    Error::Setting(
        "--ship needs the run's folder, which overhear record makes in front of a launcher: overhear record --ship \
         mpirun -n 2 ./app"
            .into(),
    )
}

/// Finds or writes the file. The error names the folder and the problem.
pub fn unpack(bytes: &[u8], folder: &Path) -> Result<PathBuf, String> {
    written(bytes, folder).map_err(|error| format!("{}: {}", folder.display(), in_words(&error)))
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

/// AddressSanitizer of gcc and of clang ends a program in which another library comes before it.
const FIRST: [&[u8]; 2] = [b"libasan.so", b"libclang_rt.asan"];

/// True if the library must be loaded first.
pub fn insists(library: &OsStr) -> bool {
    let name = Path::new(library).file_name().unwrap_or_default().as_bytes();
    FIRST.iter().any(|first| name.starts_with(first))
}

/// Value of LD_PRELOAD beside the user's own. `needed` are the program's libraries that must be first.
pub fn preload_list(recorder: &Path, needed: &[OsString]) -> OsString {
    preload_list_with(&std::env::var_os("LD_PRELOAD").unwrap_or_default(), recorder, needed)
}

/// Value of LD_PRELOAD beside `users`.
pub fn preload_list_with(users: &OsStr, recorder: &Path, needed: &[OsString]) -> OsString {
    let users = users.as_bytes().split(|byte| matches!(byte, b':' | b' ')).filter(|word| !word.is_empty());
    let (first, last): (Vec<&OsStr>, Vec<&OsStr>) = users.map(OsStr::from_bytes).partition(|word| insists(word));
    // The user's own choice replaces the program's.
    let needed = needed.iter().map(OsString::as_os_str).filter(|_| first.is_empty());
    let all: Vec<&OsStr> = needed.chain(first.iter().copied()).chain([recorder.as_os_str()]).chain(last).collect();
    all.join(OsStr::new(":"))
}
