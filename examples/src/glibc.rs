//! The glibc version that a program or library needs.

use std::path::Path;
use std::process::Command;

/// Version that Rust's standard library itself needs.
pub const OLDEST: (u32, u32) = (2, 17);

/// Newest glibc symbol version in the file, according to readelf.
pub fn needed(path: &Path) -> Result<(u32, u32), String> {
    let said = Command::new("readelf").arg("--version-info").arg(path).output();
    let said = said.map_err(|error| format!("readelf, of binutils: {error}"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let versions = said.split("GLIBC_").skip(1).filter_map(|text| {
        let mut numbers = text.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    versions.max().ok_or_else(|| format!("{} asks for no version of glibc", path.display()))
}
