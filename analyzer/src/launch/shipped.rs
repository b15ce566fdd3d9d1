//! A copy of the recorder in the run's folder, which every host sees.

use std::path::{Path, PathBuf};
use std::{fs, io};

use traces::folder::RECORDER;
use traces::settings;

use super::library::PreloadLibrary;
use super::unpacked::{check_mount, check_path};
use crate::cli::Settings;
use model::error::Error;
use model::output;

/// Whether the user asks for it.
pub fn is_to_ship(given: &Settings) -> bool {
    given.in_force(settings::SHIP).is_some_and(|value| value == settings::SWITCH[1])
}

/// Copies it. Fails where no library can be loaded from the folder.
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

/// The one that a launch in front of this process has copied.
pub fn shipped(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(RECORDER)).filter(|path| path.is_file())
}

/// What is wrong where no launch in front has.
pub fn no_folder_yet() -> Error {
    Error::Setting(
        "--ship needs the run's folder, which overhear record makes in front of a launcher: overhear record --ship \
         mpirun -n 2 ./app"
            .into(),
    )
}
