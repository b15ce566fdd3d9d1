//! Foreign readers of OTF2 archives: `otf2-print`, and the module `otf2` of Debian's Python.

use std::path::Path;

use crate::packages;

/// Debian's Python, which has the module.
pub const PYTHON: &str = "/usr/bin/python3";

/// Installs both by apt (as root) unless they are there.
pub fn install() -> Result<(), String> {
    let is_there =
        Path::new("/usr/bin/otf2-print").exists() && Path::new("/usr/lib/python3/dist-packages/otf2").exists();
    if is_there { Ok(()) } else { packages::install(&["otf2-tools", "python3-otf2"]) }
}
