//! Places of golden texts, which `cargo xtask golden` accepts one by one.

use std::path::{Path, PathBuf};

// Some files of tests use one, some the other.
#[allow(unused_imports)]
pub use examples::golden::{GoldenFiles, compare};

/// Path of a golden text.
pub fn kept(name: &str) -> PathBuf {
    kept_file(&format!("{name}.txt"))
}

pub fn kept_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}
