//! Builds a copy of the workspace with all chosen errors in it, each behind a condition.
//!
//! Errors that do not compile are left out: the compiler's message names a place in the copy, and so the error.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use examples::wheel::run as done;
use examples::{build, target, workspace};
use serde_json::Value;

use super::places::{CRATES, Planted, files};
use super::written_mutations::written;

/// Selects the error, for a process and its children.
pub const WANTED: &str = "OVERHEAR_PLANTED";
/// Folder that gets a file for each error whose place a process reaches.
pub const REACHED: &str = "OVERHEAR_PLANTED_REACHED";

/// Goes into each crate with errors: tells if an error is selected. `SIZE` is their number.
const ASKED: &str = r#"

#[doc(hidden)]
pub fn planted(number: usize) -> bool {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static WANTED: LazyLock<usize> =
        LazyLock::new(|| std::env::var("OVERHEAR_PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX));
    static FOLDER: LazyLock<Option<std::path::PathBuf>> =
        LazyLock::new(|| std::env::var_os("OVERHEAR_PLANTED_REACHED").map(Into::into));
    static REACHED: [AtomicBool; SIZE] = [const { AtomicBool::new(false) }; SIZE];
    if let Some(folder) = &*FOLDER && !REACHED[number].swap(true, Relaxed) {
        let _ = std::fs::write(folder.join(number.to_string()), "");
    }
    *WANTED == number
}
"#;

/// Attempts to remove errors that do not compile: types are checked first, then borrows.
const ROUNDS: usize = 12;

/// Compiled tests of the copy.
pub struct Built {
    pub binaries: Vec<TestBinary>,
    /// Numbers of the errors that do not compile.
    pub left_out: BTreeSet<usize>,
}

/// A compiled test file, and its working folder.
pub struct TestBinary {
    pub path: PathBuf,
    pub folder: PathBuf,
}

/// Builds the tests with all errors that compile.
pub fn build(chosen: &[Planted]) -> Result<Built, String> {
    let copy = copy_of_the_workspace()?;
    let mut left_out = BTreeSet::new();
    for _ in 0..ROUNDS {
        let places = write(&copy, chosen, &left_out)?;
        let messages = cargo(&copy, &["check", "--package", "overhear-metrics"])?;
        let wrong = wrong(&messages, &places)?;
        if wrong.is_empty() {
            let messages = cargo(&copy, &["test", "--no-run", "--lib", "--test", "all", "--test", "recorded"])?;
            let binaries: Vec<TestBinary> = messages.iter().filter_map(binary).collect();
            if binaries.is_empty() {
                return Err(format!("{}: its tests do not build", copy.display()));
            }
            return Ok(Built { binaries, left_out });
        }
        left_out.extend(wrong);
    }
    Err(format!("{}: does not build without {} of the errors", copy.display(), left_out.len()))
}

/// Copies the files that git tracks, and links to the installed MPIs and tools.
fn copy_of_the_workspace() -> Result<PathBuf, String> {
    let copy = target().join("mutants/source");
    let failed = |error: std::io::Error| format!("{}: {error}", copy.display());
    fs::create_dir_all(copy.join("target")).map_err(failed)?;
    let script = "git ls-files -z | xargs -0 cp --parents --update --preserve=timestamps --target-directory \"$0\"";
    done(Command::new("sh").args(["-c", script]).arg(&copy).current_dir(workspace()))?;
    for name in ["mpi", "tested"] {
        let link = copy.join("target").join(name);
        if !link.exists() {
            symlink(target().join(name), link).map_err(failed)?;
        }
    }
    Ok(copy)
}

/// Places of errors by file of the copy.
type Places = BTreeMap<String, Vec<(usize, Range<usize>, Range<usize>)>>;

fn write(copy: &Path, chosen: &[Planted], left_out: &BTreeSet<usize>) -> Result<Places, String> {
    // All files, since the copy may have errors that an earlier command chose.
    let files = files()?;
    let mut by_file: BTreeMap<&str, Vec<_>> = files.iter().map(|file| (file.as_str(), Vec::new())).collect();
    for (number, planted) in chosen.iter().enumerate() {
        let of_file = by_file.entry(&planted.file).or_default();
        if !left_out.contains(&number) {
            of_file.push((number, &planted.mutation));
        }
    }
    let heads = CRATES.map(|folder| format!("{folder}/src/lib.rs"));
    let mut places = Places::new();
    for (file, mutations) in by_file {
        let failed = |error: std::io::Error| format!("{file}: {error}");
        let original = fs::read_to_string(workspace().join(file)).map_err(failed)?;
        let mut new = written(&original, &mutations);
        if heads.iter().any(|head| head == file) {
            new.text.push_str(&ASKED.replace("SIZE", &chosen.len().to_string()));
        }
        // Unchanged files are not rewritten, so they are not compiled again.
        if fs::read_to_string(copy.join(file)).map_err(failed)? != new.text {
            fs::write(copy.join(file), &new.text).map_err(failed)?;
        }
        places.insert(file.to_string(), new.places);
    }
    Ok(places)
}

/// Runs cargo in the copy, and returns its messages.
fn cargo(copy: &Path, words: &[&str]) -> Result<Vec<Value>, String> {
    let mut command = build::cargo();
    command.args(words).arg("--message-format=json");
    if words[0] == "test" {
        for package in ["overhear", "overhear-model", "overhear-metrics", "overhear-data"] {
            command.args(["--package", package]);
        }
    }
    // The tests run hundreds of times, without a debugger.
    command.env("CARGO_PROFILE_DEV_DEBUG", "none").env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    command.env("RUSTFLAGS", "--cap-lints=warn").env_remove("CARGO_TARGET_DIR");
    command.env("CARGO_INCREMENTAL", "0").stderr(Stdio::null()).current_dir(copy);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let lines = output.stdout.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Errors that the compiler's messages are about.
fn wrong(messages: &[Value], places: &Places) -> Result<BTreeSet<usize>, String> {
    let mut wrong = BTreeSet::new();
    for message in messages.iter().filter(|message| message["message"]["level"] == "error") {
        let spans = message["message"]["spans"].as_array().into_iter().flatten();
        let at = |span: &Value| -> Option<usize> {
            let of_file = places.get(span["file_name"].as_str()?)?;
            let byte = span["byte_start"].as_u64()? as usize;
            let own = of_file.iter().find(|(_, _, own)| own.contains(&byte));
            let around =
                || of_file.iter().filter(|(_, whole, _)| whole.contains(&byte)).min_by_key(|(_, whole, _)| whole.len());
            Some(own.or_else(around)?.0)
        };
        let found: Vec<usize> = spans.filter_map(at).collect();
        if found.is_empty() && message["message"]["spans"].as_array().is_some_and(|spans| !spans.is_empty()) {
            return Err(format!("an error at no change: {}", message["message"]["rendered"].as_str().unwrap_or("")));
        }
        wrong.extend(found);
    }
    Ok(wrong)
}

fn binary(message: &Value) -> Option<TestBinary> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some(TestBinary { path: path.into(), folder: folder.into() })
}
