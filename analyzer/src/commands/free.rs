//! Files that exist stay, unless the user says otherwise.

use std::fs;
use std::path::Path;

use model::error::Error;

/// Fails where something is that would be lost, unless `force`. A device or pipe loses nothing.
pub fn free(place: &Path, force: bool) -> Result<(), Error> {
    let is_there = fs::symlink_metadata(place).is_ok_and(|found| found.is_file() || found.is_dir());
    if is_there && !force { Err(Error::Exists { path: place.into() }) } else { Ok(()) }
}
