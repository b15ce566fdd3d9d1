//! The user's cache folder.

use std::path::PathBuf;

/// `XDG_CACHE_HOME/overhear`, by default `~/.cache/overhear`; the folder may not exist.
pub fn path() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("overhear"))
}
