//! Texts that are kept: a change of words or of figures is seen in the commit that makes it.

use std::fs;
use std::path::{Path, PathBuf};

/// `GOLDEN=write` has what is kept written anew.
pub fn is_written() -> bool {
    std::env::var_os("GOLDEN").is_some_and(|value| value == "write")
}

/// The text of this name among those of the tests.
pub fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"))
}

/// Compares a text with the one that is kept, or keeps it.
#[track_caller]
pub fn compare(path: &Path, text: &str) {
    if is_written() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let golden = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(golden == text, "{}: was\n{golden}\nis\n{text}", path.display());
}
