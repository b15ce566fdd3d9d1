//! A sparse file, as tar and rsync preserve it, costs what it has on disk, not its length.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::process::{Command, Stdio};

use examples::used;

use crate::common::{Folder, two_ranks};

const LENGTH: u64 = 8 << 30;

#[test]
fn a_hole_behind_a_file_takes_no_memory_and_changes_nothing() {
    let folder = two_ranks();
    let whole = said(&folder);
    grow(&folder);
    assert_eq!(said(&folder), whole);
}

#[test]
fn pages_behind_a_hole_are_found() {
    let folder = two_ranks();
    let whole = said(&folder);
    let path = folder.0.join("rank-0001.ovh");
    let bytes = std::fs::read(&path).unwrap();
    grow(&folder);
    let file = File::options().write(true).open(&path).unwrap();
    // Repeats the same pages, so a thread's records are there twice.
    let pages = &bytes[traces::file::FIRST_PAGE..];
    file.write_all_at(pages, LENGTH - pages.len().next_multiple_of(traces::file::FIRST_PAGE) as u64).unwrap();
    assert_ne!(said(&folder), whole);
}

/// Extends the second file by a hole.
fn grow(folder: &Folder) {
    let path = folder.0.join("rank-0001.ovh");
    File::options().write(true).open(&path).unwrap().set_len(LENGTH).unwrap();
    let blocks = path.metadata().unwrap().blocks();
    assert!(blocks * 512 < LENGTH / 8, "this file system knows no holes: {blocks} blocks");
}

/// Output of commands that read the run once, and of one that follows it.
fn said(folder: &Folder) -> Vec<String> {
    let commands: [&[&str]; 3] = [&["report"], &["hang"], &["top", "--once"]];
    commands.iter().map(|words| within(words, &folder.0)).collect()
}

/// Output of a command that may use a sixteenth of the hole as memory.
fn within(words: &[&str], run: &Path) -> String {
    let out = run.with_extension("said");
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(words).arg(run).stdout(File::create(&out).unwrap()).stderr(Stdio::null());
    let used = used::wait(command.spawn().unwrap());
    assert!([Some(0), Some(1)].contains(&used.status.code()), "{words:?}: {}", used.status);
    assert!(used.memory < LENGTH >> 14, "{words:?} used {} KiB", used.memory);
    let said = std::fs::read_to_string(&out).unwrap();
    std::fs::remove_file(&out).unwrap();
    said
}
