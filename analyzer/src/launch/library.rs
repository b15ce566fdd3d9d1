//! The library to preload: beside this command, or carried in it.

use std::path::{Path, PathBuf};

use super::unpacked::unpack;
use model::cache;
use model::error::Error;

/// What this command was built with.
#[cfg(feature = "embed")]
const CARRIED: Option<&[u8]> =
    Some(include_bytes!(env!("OVERHEAR_LIBRARY", "set OVERHEAR_LIBRARY to the path of a liboverhear.so to embed")));
#[cfg(not(feature = "embed"))]
const CARRIED: Option<&[u8]> = None;

/// The library to preload.
pub struct PreloadLibrary {
    /// Its file.
    pub path: PathBuf,
    /// Why other hosts may not see that file.
    pub warning: Option<String>,
}

/// The one beside this command, or in the lib folder beside its folder; else the one that the command carries.
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

/// In the user's cache folder, which hosts mostly share; where it cannot be written, in a folder for temporary files.
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
