//! The browser that pages are tried in, and axe, which finds what keeps people from using them.

use std::path::PathBuf;

use crate::packages;
use crate::wheel::Wheel;

/// axe-core, as the wheel for another driver of browsers has it.
const AXE: Wheel = Wheel::of("axe-playwright-python", "0.1.8", "axe_playwright_python/axe.min.js");

/// Brings both: Chromium by apt, which takes root, unless there is one, and axe from PyPI.
pub fn install() -> Result<(), String> {
    AXE.install()?;
    if chromium().is_some() { Ok(()) } else { packages::install(&["chromium"]) }
}

/// The command that starts the browser, where there is one.
pub fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    found.into_iter().find(|file| file.is_file())
}

/// The script that checks a page it is run in.
pub fn axe() -> PathBuf {
    AXE.folder().join(AXE.proof)
}
