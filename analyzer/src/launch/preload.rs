//! What is preloaded, in which order: runtimes that insist on being first, the recorder, what else the user preloads.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// AddressSanitizer of gcc and of clang ends a program in which another library comes before it.
const FIRST: [&[u8]; 2] = [b"libasan.so", b"libclang_rt.asan"];

/// Whether a library insists on being first.
pub fn insists(library: &OsStr) -> bool {
    let name = Path::new(library).file_name().unwrap_or_default().as_bytes();
    FIRST.iter().any(|first| name.starts_with(first))
}

/// The value of LD_PRELOAD. `needed` are those that insist, of the program's own.
pub fn list(recorder: &Path, needed: &[OsString]) -> OsString {
    let users = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let users = users.as_bytes().split(|byte| matches!(byte, b':' | b' ')).filter(|word| !word.is_empty());
    let (first, last): (Vec<&OsStr>, Vec<&OsStr>) = users.map(OsStr::from_bytes).partition(|word| insists(word));
    // The user's own choice stands for the program's.
    let needed = needed.iter().map(OsString::as_os_str).filter(|_| first.is_empty());
    let all: Vec<&OsStr> = needed.chain(first.iter().copied()).chain([recorder.as_os_str()]).chain(last).collect();
    all.join(OsStr::new(":"))
}
