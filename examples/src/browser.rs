//! Chromium, for testing pages, and axe, an accessibility checker.

use std::path::PathBuf;

use crate::packages;
use crate::wheel::Wheel;

/// axe-core, taken from the Python wheel of another browser driver.
const AXE: Wheel = Wheel::of("axe-playwright-python", "0.1.8", "axe_playwright_python/axe.min.js");

/// Installs Chromium without its windows by apt (as root) unless there is a browser, and axe from PyPI.
pub fn install() -> Result<(), String> {
    AXE.install()?;
    if chromium().is_some() { Ok(()) } else { packages::install(&[SHELL]) }
}

/// Chromium without windows, tabs and extensions, which takes less time and memory.
const SHELL: &str = "chromium-headless-shell";

pub fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = [SHELL, "chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    found.into_iter().find(|file| file.is_file())
}

/// axe's script, to be run in the page it checks.
pub fn axe() -> PathBuf {
    AXE.folder().join(AXE.proof)
}
