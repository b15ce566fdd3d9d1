//! The library to preload: beside this command, carried in it, or copied to the run's folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

use traces::folder::RECORDER;
use traces::settings;

use super::unpacked::{check_mount, check_path, unpack};
use crate::cli::Settings;
use model::error::Error;
use model::{cache, output};

/// The library that this command was built with.
#[cfg(feature = "embed")]
const CARRIED: Option<&[u8]> =
    Some(include_bytes!(env!("OVERHEAR_LIBRARY", "set OVERHEAR_LIBRARY to the path of a liboverhear.so to embed")));
#[cfg(not(feature = "embed"))]
const CARRIED: Option<&[u8]> = None;

/// The library to preload.
pub struct PreloadLibrary {
    pub path: PathBuf,
    /// Why other hosts may not see that file.
    pub warning: Option<String>,
}

/// Finds the library beside this command or in the lib folder beside its folder, or unpacks the one that the command carries.
pub fn library() -> Result<PreloadLibrary, Error> {
    let own = std::env::current_exe().map_err(|error| Error::Other(error.to_string()))?;
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
    let cached = cache::path().ok_or("neither XDG_CACHE_HOME nor HOME is set".into());
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

/// The user asks for a copy in the run's folder.
pub fn is_to_ship(given: &Settings) -> bool {
    given.in_force(settings::SHIP).is_some_and(|value| value == settings::SWITCH[1])
}

/// Copies the library into the run's folder, which every host sees. Fails if no library can be loaded from there.
pub fn ship(library: &PreloadLibrary, folder: &Path) -> Result<PreloadLibrary, Error> {
    let path = folder.join(RECORDER);
    let failed = |error: io::Error| {
        let folder = folder.display();
        Error::Other(format!("--ship: {folder}: {error}. Name another folder with --dir, or leave --ship out"))
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
