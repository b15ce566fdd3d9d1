//! The order of preloaded libraries: runtimes that must be first, the recorder, then the user's others.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// AddressSanitizer of gcc and of clang ends a program in which another library comes before it.
const FIRST: [&[u8]; 2] = [b"libasan.so", b"libclang_rt.asan"];

/// The library must be loaded first.
pub fn insists(library: &OsStr) -> bool {
    let name = Path::new(library).file_name().unwrap_or_default().as_bytes();
    FIRST.iter().any(|first| name.starts_with(first))
}

/// Value of LD_PRELOAD. `needed` are the program's libraries that must be first.
pub fn list(recorder: &Path, needed: &[OsString]) -> OsString {
    let users = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let users = users.as_bytes().split(|byte| matches!(byte, b':' | b' ')).filter(|word| !word.is_empty());
    let (first, last): (Vec<&OsStr>, Vec<&OsStr>) = users.map(OsStr::from_bytes).partition(|word| insists(word));
    // The user's own choice replaces the program's.
    let needed = needed.iter().map(OsString::as_os_str).filter(|_| first.is_empty());
    let all: Vec<&OsStr> = needed.chain(first.iter().copied()).chain([recorder.as_os_str()]).chain(last).collect();
    all.join(OsStr::new(":"))
}
