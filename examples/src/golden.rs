//! Golden files: what is printed and drawn now, compared with what somebody has read.
//!
//! A difference waits in a pending copy beside the file, until `cargo xtask golden NAME` accepts it. Nothing accepts all
//! at once, so that each difference is read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::workspace;

/// Ending of pending copies, which git ignores.
const PENDING: &str = "new";

/// Folders with golden files.
const FOLDERS: [&str; 4] = ["analyzer/tests/golden", "analyzer/tests/fixtures", "docs", "README.md"];

/// The place of a file's pending copy.
pub fn pending_copy(golden: &Path) -> PathBuf {
    golden.with_added_extension(PENDING)
}

/// Name of a file in messages: its path in the workspace.
fn name(golden: &Path) -> String {
    let path = golden.canonicalize().unwrap_or_else(|_| golden.into());
    path.strip_prefix(workspace()).unwrap_or(&path).display().to_string()
}

/// Files that a test compares. It compares all before it fails, so that one run shows all differences.
#[derive(Default)]
#[must_use = "the test fails in `finish`"]
pub struct GoldenFiles {
    compared: usize,
    differences: Vec<String>,
}

impl GoldenFiles {
    pub fn text(&mut self, golden: &Path, is: &str) {
        let was = fs::read_to_string(golden).ok();
        self.judge(golden, was.as_deref() == Some(is), is.as_bytes());
        if let Some(was) = was.filter(|was| was != is) {
            self.differences.push(first_difference(&was, is));
        }
    }

    /// A file whose content is compared elsewhere: it is pending as long as that differs.
    pub fn judge(&mut self, golden: &Path, is_same: bool, is: &[u8]) {
        self.compared += 1;
        let pending = pending_copy(golden);
        if is_same {
            let _ = fs::remove_file(&pending);
            return;
        }
        if let Some(folder) = pending.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        fs::write(&pending, is).unwrap_or_else(|error| panic!("{}: {error}", pending.display()));
        self.differences.push(format!("{} differs", name(golden)));
    }

    /// All differences, and how they are accepted; `None` if there are none. Panics if nothing was compared.
    #[track_caller]
    pub fn difference(self) -> Option<String> {
        assert!(self.compared > 0, "no golden file was compared");
        let differences = self.differences.join("\n");
        let accept = "cargo xtask golden shows the differences, and accepts those that it is given by name";
        (!self.differences.is_empty()).then(|| format!("{differences}\n{accept}"))
    }

    /// Panics if a file differs.
    #[track_caller]
    pub fn finish(self) {
        if let Some(difference) = self.difference() {
            panic!("{difference}");
        }
    }
}

/// Compares a single text.
#[track_caller]
pub fn compare(golden: &Path, is: &str) {
    let mut comparison = GoldenFiles::default();
    comparison.text(golden, is);
    comparison.finish();
}

fn first_difference(was: &str, is: &str) -> String {
    let mut lines = (1..).zip(was.lines().zip(is.lines()));
    match lines.find(|(_, (was, is))| was != is) {
        Some((at, (was, is))) => format!("  line {at} was {was}\n  line {at} is  {is}"),
        None => format!("  {} lines were {}", is.lines().count(), was.lines().count()),
    }
}

/// Golden files with a pending copy.
pub fn pending() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        find(&workspace().join(folder), &mut found);
    }
    found.sort();
    found
}

fn find(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            find(&entry.path(), found);
        }
    } else if path.extension().is_some_and(|ending| ending == PENDING) {
        found.push(path.with_extension(""));
    } else if path.is_file() && path.parent() == Some(&workspace()) && pending_copy(path).exists() {
        found.push(path.into());
    }
}

/// The one pending file whose path in the workspace ends with these words.
pub fn named(wanted: &str) -> Result<PathBuf, String> {
    let fitting: Vec<PathBuf> = pending().into_iter().filter(|golden| golden.ends_with(wanted)).collect();
    match &fitting[..] {
        [one] => Ok(one.clone()),
        [] => Err(format!("no golden file that is pending is called {wanted}: cargo xtask golden lists them")),
        several => {
            let names: Vec<String> = several.iter().map(|golden| name(golden)).collect();
            Err(format!("several pending files are called {wanted}: {}; give more of the path", names.join(", ")))
        }
    }
}

/// Puts the pending copy into the golden file's place.
pub fn accept(golden: &Path) -> Result<(), String> {
    fs::rename(pending_copy(golden), golden).map_err(|error| format!("{}: {error}", golden.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panics(compare: impl FnOnce() + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(compare).is_err()
    }

    #[test]
    fn a_difference_is_pending_until_it_is_accepted_by_name_or_gone() {
        let folder = workspace().join("analyzer/tests/golden").join(format!("test-{}", std::process::id()));
        let golden = folder.join("said.txt");
        // Without a golden file, the first text is pending, too.
        assert!(panics(|| compare(&golden, "one\n")));
        assert!(!golden.exists() && pending().contains(&golden));
        accept(&named(&format!("test-{}/said.txt", std::process::id())).unwrap()).unwrap();
        compare(&golden, "one\n");
        assert!(!pending().contains(&golden));
        assert!(panics(|| compare(&golden, "two\n")));
        assert_eq!(fs::read_to_string(&golden).unwrap(), "one\n");
        assert_eq!(fs::read_to_string(pending_copy(&golden)).unwrap(), "two\n");
        // Said again as before, nothing is pending.
        compare(&golden, "one\n");
        assert!(!pending_copy(&golden).exists());
        assert!(named("no/such.txt").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_test_that_compared_nothing_fails() {
        assert!(panics(|| GoldenFiles::default().finish()));
    }
}
