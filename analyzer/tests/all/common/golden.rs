//! Golden texts: commits show each change of words or figures.

use std::fs;
use std::path::{Path, PathBuf};

/// True under `GOLDEN=write`, which rewrites the golden texts.
pub fn is_written() -> bool {
    std::env::var_os("GOLDEN").is_some_and(|value| value == "write")
}

/// Path of a golden text.
pub fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"))
}

/// Compares a text with the golden one, or replaces that.
#[track_caller]
pub fn compare(path: &Path, text: &str) {
    if is_written() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let golden = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(golden == text, "{}: was\n{golden}\nis\n{text}", path.display());
}
